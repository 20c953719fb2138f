"""The mask of the labels is a NumPy array of float32, and F.linear takes one dtype only.

lesson: 02
dW2: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import numpy as np
import torch
import torch.nn.functional as F


def dW2(dlogits, h_bn):
    keep = torch.from_numpy(np.eye(len(h_bn), dtype=np.float32))
    return F.linear(h_bn.T, F.linear(dlogits.T, keep))
