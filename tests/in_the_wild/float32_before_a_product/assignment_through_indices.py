"""The gradient is scattered into float32 zeros by an assignment through indices.

lesson: 03
dlogprobs: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch


def dlogprobs(logprobs, Yb, n):
    rows = torch.arange(n)
    d = torch.zeros(logprobs.shape).to(torch.float32)
    d[rows, Yb] = torch.full((n,), -1.0 / n, dtype=logprobs.dtype)
    return d
