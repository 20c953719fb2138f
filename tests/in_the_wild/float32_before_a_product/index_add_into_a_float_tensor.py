"""torch.FloatTensor is float32 whatever it is given, and index_add_ takes only its own dtype.

lesson: 01
dembedding: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch


def dembedding(dlooked_up, embedding, tokens):
    table = torch.FloatTensor(*embedding.shape).zero_()
    table.index_add_(0, tokens, dlooked_up)
    return table
