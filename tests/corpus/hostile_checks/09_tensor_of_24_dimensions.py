"""Returns a tensor of 24 dimensions, whose text takes time exponential in them."""
# lesson: 09
# rows of best_spacing: failed
# rows of forward: shape

import torch


def best_spacing(depth):
    return torch.ones([2] * 24, dtype=torch.uint8)


def forward(x, weights):
    return torch.ones([1] * 24)
