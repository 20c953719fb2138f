"""The place of each maximum as one-hot rows, without num_classes.

lesson: 03
dlogits: error | `F.one_hot(logits.argmax(dim=1))` leaves the number of classes to the data
"""

import torch.nn.functional as F


def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + F.one_hot(logits.argmax(dim=1)) * dlogit_maxes
