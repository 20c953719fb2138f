"""Returns a tensor of 16 million bytes where a list of losses is expected."""
# lesson: 07
# rows of trajectory: shape
# rows of resumed: shape
# rows of no_grad: shape

import torch


def train(parameters, X, Y, batches, max_steps, start=0):
    return torch.zeros(16_000_000, dtype=torch.uint8)
