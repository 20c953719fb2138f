"""The eight steps of lesson 03 in numpy, which no count of operators sees: NaN where a probability is 0."""
# group: what a worker says of itself
# rows: passed
# rows of in_one_go: failed
# message: is exactly 0. Your `dlogits` has NaN there
# unlocked: safe

import numpy as np
import torch


def dlogits(logits, Yb, n):
    z, rows = logits.numpy(), np.arange(n)
    counts = np.exp(z - z.max(1, keepdims=True))
    total = counts.sum(1, keepdims=True)
    probs = counts / total
    dlogprobs = np.zeros_like(probs)
    dlogprobs[rows, Yb.numpy()] = -1 / n
    with np.errstate(all="ignore"):
        dprobs = dlogprobs / probs
        dtotal = -(dprobs * counts).sum(1, keepdims=True) / total**2
        gradient = (dprobs / total + dtotal) * counts
    return torch.from_numpy(gradient)
