"""Modules beside it that Python itself imports when it starts."""
# group: files next to it
# rows: failed
# unlocked: safe

import torch


def dlogits(logits):
    return torch.zeros_like(logits)
