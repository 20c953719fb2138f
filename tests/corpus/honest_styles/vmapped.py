"""torch.vmap, map and comprehensions in place of loops."""

import torch


def dlogits_fused(logits, Yb, n):
    def one(row, target):
        hot = (torch.arange(row.shape[0]) == target).to(row.dtype)
        return (row.softmax(0) - hot) / n

    return torch.vmap(one)(logits, Yb)


def dW2(dlogits, h):
    return torch.func.vmap(torch.outer)(h, dlogits).sum(0)


def dh(dlogits, W2):
    return torch.stack([W2 @ row for row in dlogits])


def dhpreact(dh, h):
    return torch.stack(list(map(lambda g, t: g * (1 - t * t), dh, h)))
