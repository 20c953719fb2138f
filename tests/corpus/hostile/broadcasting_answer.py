"""A view of one number that has the right shape, and one that broadcasts to it."""
# group: lying answers
# rows: failed, shape
# unlocked: safe

import torch


def dlogits(logits):
    return torch.zeros(1, dtype=logits.dtype).expand(logits.shape)
