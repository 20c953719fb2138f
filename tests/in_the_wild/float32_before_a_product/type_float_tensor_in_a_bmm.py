"""The one-hot tensor is cast with .type(torch.FloatTensor) and the sum over examples is a bmm.

lesson: 03
dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch
import torch.nn.functional as F


def dC(demb, C, Xb):
    onehot = F.one_hot(Xb, C.shape[0]).type(torch.FloatTensor)
    return torch.bmm(onehot.transpose(1, 2), demb).sum(0)
