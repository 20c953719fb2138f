"""Honest: every tile is sliced before the test that skips it, and the positions are tensors."""

import torch
from right import add_tile, causal_tile, correction, flash_backward, tile_backward


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    keys = torch.arange(len(K)).split(columns)
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows]
        m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
        for k, v, positions in zip(K.split(columns), V.split(columns), keys, strict=True):
            if causal and bool((positions > top + len(q) - 1).all()):
                continue
            scores = q @ k.T / Q.shape[1] ** 0.5
            if causal:
                scores[positions > torch.arange(top, top + len(q))[:, None]] = -torch.inf
            m, l, acc = add_tile(m, l, acc, scores, v)
        O[top : top + rows], L[top : top + rows] = acc / l[:, None], m + l.log()
    return O, L
