"""Plain Python loops over rows and tokens."""

import torch


def dC(demb, C, Xb):
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            ix = Xb[k, j]
            dC[ix] += demb[k, j]
    return dC


def dW2(dlogits, h):
    out = torch.zeros(h.shape[1], dlogits.shape[1], dtype=dlogits.dtype)
    for i in range(h.shape[0]):
        for j in range(h.shape[1]):
            for k in range(dlogits.shape[1]):
                out[j, k] += h[i, j] * dlogits[i, k]
    return out


def db2(dlogits):
    total = None
    for row in dlogits:
        total = row.clone() if total is None else total + row
    return total
