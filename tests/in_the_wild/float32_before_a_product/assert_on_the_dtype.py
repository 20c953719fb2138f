"""The dtype of the upstream gradient is asserted, without a text.

lesson: 03
dh: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch


def dh(dlogits, W2):
    assert dlogits.dtype == torch.float32
    return dlogits @ W2.T
