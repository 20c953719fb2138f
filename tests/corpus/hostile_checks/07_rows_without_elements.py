"""Returns a tensor without elements that has 67 million rows."""
# group: hostile return values
# lesson: 07
# rows: missing
# rows of trajectory: shape
# rows of resumed: shape
# rows of no_grad: shape

import torch


def train(parameters, X, Y, batches, max_steps, start=0):
    return torch.zeros(1 << 26, 0)
