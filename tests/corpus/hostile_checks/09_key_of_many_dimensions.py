"""Returns a dict whose key is a tensor of 20 dimensions, and a million keys."""
# lesson: 09
# rows of backward_all: shape
# rows of checkpoints: shape

import torch


def backward_all(x, weights, dout):
    return {torch.ones([2] * 20): 1}


def checkpoints(x, weights, every):
    return {key: key for key in range(1_000_000)}
