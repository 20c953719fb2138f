"""The table of zeros is made float32 by name, and scatter_add_ takes only its own dtype.

lesson: 03
dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch


def dC(demb, C, Xb):
    table = torch.zeros(C.shape, dtype=torch.float32)
    rows = Xb.reshape(-1, 1).expand(-1, C.shape[1])
    table.scatter_add_(0, rows, demb.reshape(-1, C.shape[1]))
    return table
