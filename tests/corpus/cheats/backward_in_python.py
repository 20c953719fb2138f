"""The same products written in Python inside torch. Stopped by: error."""

import torch
from torch._decomp import decomposition_table
from torch._decomp.decompositions import tanh_backward


def dhpreact(dh, h):
    return tanh_backward(dh, h)


def dlogits_fused(logits, Yb, n):
    upstream = torch.zeros_like(logits)
    upstream[range(n), Yb] = -1.0 / n
    formula = decomposition_table[torch.ops.aten._log_softmax_backward_data.default]
    return formula(upstream, torch.log_softmax(logits, 1), 1, logits.dtype)
