"""One operator of torch's that takes minutes."""
# group: time
# rows: timeout
# unlocked: safe

import torch


def dlogits(logits):
    large = torch.ones(4000, 4000, dtype=torch.float64)
    return torch.linalg.matrix_power(large / 4000, 1000)
