"""One-hot labels without num_classes in a fused loss: one problem has no label but 0, and its single column is broadcast.

lesson: 04
dlogits: error | as many as `Yb` needs, 6 here.
in_one_go: error
"""

import torch.nn.functional as F


def dlogits(logits, Yb, n):
    return (F.softmax(logits, 1) - F.one_hot(Yb)) / n
