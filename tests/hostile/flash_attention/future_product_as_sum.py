"""Visits the tiles in the future; its products are sums of products, which nobody counts."""
# rows of operations: failed

import torch
from right import add_tile, causal_tile, correction, flash_backward, tile_backward


def product(a, b):
    return (
        sum(a[:, i, None] * b[i] for i in range(a.shape[1])) if a.shape[1] < b.shape[1] else (a[:, :, None] * b).sum(1)
    )


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows]
        m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
        for left in range(0, len(K), columns):
            k, v = K[left : left + columns], V[left : left + columns]
            scores = product(q, k.T) / Q.shape[1] ** 0.5
            if causal:
                scores = scores.masked_fill(~causal_tile(top, top + len(q), left, left + len(k)), -torch.inf)
            largest = torch.maximum(m, scores.amax(1))
            shrink, weights = torch.exp(m - largest), torch.exp(scores - largest[:, None])
            m, l, acc = largest, l * shrink + weights.sum(1), acc * shrink[:, None] + product(weights, v)
        O[top : top + rows], L[top : top + rows] = acc / l[:, None], m + l.log()
    return O, L
