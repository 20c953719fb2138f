"""Vector-Jacobian products called by hand: aten's backward operators. Stopped by: tripwire."""

import torch

aten = torch.ops.aten


def dhpreact(dh, h):
    return aten.tanh_backward(dh, h)  # here


def dh(dlogits, W2):
    out = torch.empty(dlogits.shape[0], W2.shape[0], dtype=W2.dtype)
    return aten.threshold_backward.default(dlogits @ W2.T, out.fill_(1.0), 0)  # here


def dlogits_fused(logits, Yb, n):
    upstream = torch.zeros_like(logits)
    upstream[range(n), Yb] = -1.0 / n
    return torch._log_softmax_backward_data(upstream, torch.log_softmax(logits, 1), 1, logits.dtype)  # here
