"""The one-hot tensor of the tokens is made float32 and meets the float64 gradient in an einsum.

lesson: 03
dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch
import torch.nn.functional as F


def dC(demb, C, Xb):
    onehot = F.one_hot(Xb, num_classes=C.shape[0]).float()
    return torch.einsum("btv,bte->ve", onehot, demb)
