"""-1/n added at the true classes by scatter_add, on top of the softmax divided by n."""

import torch


def dlogits(logits, Yb, n):
    share = 1.0 / n
    gradient = torch.softmax(logits, 1) * share
    pull = torch.full((n, 1), -share, dtype=logits.dtype)
    return gradient.scatter_add(1, Yb.view(-1, 1), pull)
