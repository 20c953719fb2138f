"""A forward pass that also visits the tiles in the future, and a backward pass with the mask of all scores."""

import torch
from right import causal_tile, correction, tile_backward


def visit_all(product, Q, K, V, causal, rows, columns):
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


def masked_backward(whole_mask, dO, Q, K, V, O, L, causal, rows, columns):
    past = whole_mask(len(Q), len(K), causal)
    dQ, dK, dV, D = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V), correction(dO, O)
    for top in range(0, len(Q), rows):
        here = slice(top, min(top + rows, len(Q)))
        for left in range(0, min(len(K), here.stop) if causal else len(K), columns):
            there = slice(left, min(left + columns, len(K)))
            parts = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], past[here, there])
            for grad, place, part in zip((dQ, dK, dV), (here, there, there), parts, strict=True):
                grad[place] += part
    return dQ, dK, dV
