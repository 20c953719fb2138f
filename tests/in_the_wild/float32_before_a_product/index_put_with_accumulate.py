"""index_put_ adds float64 rows to a float32 table.

lesson: 03
dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch


def dC(demb, C, Xb):
    table = torch.zeros(C.shape[0], C.shape[1], dtype=torch.float)
    return table.index_put_((Xb,), demb, accumulate=True)
