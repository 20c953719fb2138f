"""The column of each row's maximum as one-hot rows, without num_classes.

lesson: 01
drating: shape | The number of classes is left to the data: as many as `rating` needs
"""

import torch.nn.functional as F


def drating(dhighest, rating):
    return F.one_hot(rating.max(1).indices) * dhighest
