"""With num_classes and minlength nothing is left to the data.

lesson: 03
"""

import torch
import torch.nn.functional as F


def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + F.one_hot(logits.argmax(1), logits.shape[1]) * dlogit_maxes


def dC(demb, C, Xb):
    rows = [torch.bincount(Xb.view(-1), weights=column, minlength=len(C)) for column in demb.view(-1, C.shape[1]).T]
    return torch.stack(rows, 1)
