"""Softmax less one-hot labels, without num_classes.

lesson: 04
dlogits: error | The number of classes is left to the data: as many as `Yb` needs
others: any
"""

import torch
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    return (torch.softmax(logits, 1) - F.one_hot(Yb)) / n
