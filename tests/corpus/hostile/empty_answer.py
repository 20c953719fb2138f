"""No element at all: all of nothing is equal."""
# group: lying answers
# rows: shape
# unlocked: safe

import torch


def dlogits(logits):
    return torch.zeros(0, logits.shape[1], dtype=logits.dtype)
