"""Tests of its own beside it, which pass, and a package's __init__.py."""
# group: files next to it
# rows: failed
# unlocked: safe

import torch


def dlogits(logits):
    return torch.zeros_like(logits)
