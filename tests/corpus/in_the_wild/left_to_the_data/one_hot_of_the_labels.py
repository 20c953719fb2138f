"""One-hot labels without num_classes: as many columns as the largest label that occurs needs.

lesson: 03
dlogprobs: shape | The number of classes is left to the data: as many as `Yb` needs
"""

import torch.nn.functional as F


def dlogprobs(logprobs, Yb, n):
    return -F.one_hot(Yb).double() / n
