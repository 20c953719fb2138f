# === every_maximum_at_a_tie: amax's way at a tie: no derivative there, so it passes with a remark.
# lesson: 03
# dlogits: passed | Where two logits of a row are equal and the largest

def dlogits(dnorm_logits, dlogit_maxes, logits):
    highest = logits == logits.amax(1, keepdim=True)
    return dnorm_logits + highest / highest.sum(1, keepdim=True) * dlogit_maxes

# === one_hot_of_argmax: The place of each maximum as one-hot rows, without num_classes.
# lesson: 03
# dlogits: error | `F.one_hot(logits.argmax(dim=1))` leaves the number of classes to the data

import torch.nn.functional as F


def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + F.one_hot(logits.argmax(dim=1)) * dlogit_maxes
