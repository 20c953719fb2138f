"""Returns a tensor of 24 dimensions, for which some loops over axes take time exponential in them."""
# group: memory
# rows: shape
# message: a tensor of 24 dimensions
# unlocked: safe

import torch


def dlogits(logits):
    return torch.ones([2] * 24, dtype=torch.uint8)
