"""An identity matrix made outside the function is float32, because torch makes float32 there.

lesson: 04
dlogits: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
in_one_go: any
"""

import torch
import torch.nn.functional as F

EYE = torch.eye(64)


def dlogits(logits, Yb, n):
    onehot = EYE[Yb][:, : logits.shape[1]]
    positive = torch.softmax(logits, 1)
    return (torch.addmm(positive, torch.eye(n).float(), onehot.to(logits.dtype), alpha=-1)) / n
