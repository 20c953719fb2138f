# === every_maximum_at_a_tie: amax's way at a tie: no derivative there, so it passes with a remark.
# lesson: 03
# dlogits: passed | Where two logits of a row are equal and the largest

def dlogits(dnorm_logits, dlogit_maxes, logits):
    highest = logits == logits.amax(1, keepdim=True)
    return dnorm_logits + highest / highest.sum(1, keepdim=True) * dlogit_maxes

# === maximum_and_a_lost_axis: `max()` for a stable softmax makes nothing as long as the data need; the sum loses its
#     axis.
# lesson: 04
# by: both
# dlogits: error | `c.sum(1)`: does the result need the axis that this sums over? `keepdim` decides it. With that
#     changed, your `dlogits` is right.
# in_one_go: error

def dlogits(logits, Yb, n):
    c = (logits - logits.max()).exp()
    p = c / c.sum(1)
    p[range(n), Yb] -= 1
    return p / n

# === one_hot_of_argmax: The place of each maximum as one-hot rows, without num_classes.
# lesson: 03
# dlogits: error | `F.one_hot(logits.argmax(dim=1))` leaves the number of classes to the data

import torch.nn.functional as F


def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + F.one_hot(logits.argmax(dim=1)) * dlogit_maxes

# === table_of_counts: A table of counts that is as long as the tokens need: it has no entry for a larger one, with
#     any seed.
# lesson: 01
# accumulation_factor: error | IndexError

def accumulation_factor(tokens, token):
    return torch.bincount(tokens.flatten())[token]
