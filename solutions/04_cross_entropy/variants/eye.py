"""One-hot rows taken from the identity matrix, softmax by logsumexp."""

import torch


def dlogits(logits, Yb):
    targets = torch.eye(logits.size(1))[Yb]
    predicted = (logits - torch.logsumexp(logits, 1, keepdim=True)).exp()
    return (predicted - targets) * (1 / logits.size(0))
