"""Draws names of as many tokens as a reply may have, forty times."""
# group: hostile return values
# lesson: 07
# rows: missing
# rows of sample: shape

import torch


def sample(parameters, statistics, generator):
    return torch.zeros(1 << 17, dtype=torch.uint8)
