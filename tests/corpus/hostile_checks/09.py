"""Lesson 09: a spacing, checkpoints and gradients."""
# lesson: 09

import torch

# === key_of_many_dimensions: Returns a dict whose key is a tensor of 20 dimensions, and a million keys.
# rows of backward_all, checkpoints: shape

def backward_all(x, weights, dout):
    return {torch.ones([2] * 20): 1}


def checkpoints(x, weights, every):
    return {key: key for key in range(1_000_000)}

# === spacing_beyond_floats: Returns a whole number that no float can hold.
# rows of best_spacing: failed

def best_spacing(depth):
    return 10**400

# === tensor_of_24_dimensions: Returns a tensor of 24 dimensions, whose text takes time exponential in them.
# rows of best_spacing: failed
# rows of forward: shape

def best_spacing(depth):
    return torch.ones([2] * 24, dtype=torch.uint8)


def forward(x, weights):
    return torch.ones([1] * 24)
