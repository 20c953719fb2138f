"""A backward operator of another backend. Stopped by: tripwire."""

import torch


def dlogits_fused(logits, Yb, n):
    upstream = torch.zeros_like(logits)
    upstream[range(n), Yb] = -1.0 / n
    out = torch.sparse.log_softmax(logits.to_sparse(), 1)
    pull = torch.ops.aten._sparse_log_softmax_backward_data
    return pull(upstream.to_sparse(), out, 1, logits.to_sparse()).to_dense()  # here
