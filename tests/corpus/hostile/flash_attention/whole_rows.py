"""Takes the softmax of eight whole rows at a time, without `rows`, `columns` and `add_tile`."""
# rows of any_tiles: failed
# rows of memory: failed
# rows of operations: failed

import torch
from right import add_tile, causal_tile, correction, tile_backward

FEW = 8


def chunks(Q, K, causal):
    """(the queries, the keys that they may read, the mask) of each chunk."""
    for top in range(0, len(Q), FEW):
        bottom = min(top + FEW, len(Q))
        last = min(len(K), bottom) if causal else len(K)
        allowed = causal_tile(top, bottom, 0, last) if causal else torch.ones(bottom - top, last, dtype=torch.bool)
        yield slice(top, bottom), slice(0, last), allowed


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for here, there, allowed in chunks(Q, K, causal):
        scores = (Q[here] @ K[there].T / Q.shape[1] ** 0.5).masked_fill(~allowed, -torch.inf)
        O[here], L[here] = scores.softmax(1) @ V[there], scores.logsumexp(1)
    return O, L


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    D = correction(dO, O)
    for here, there, allowed in chunks(Q, K, causal):
        found = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], allowed)
        dQ[here] += found[0]
        dK[there] += found[1]
        dV[there] += found[2]
    return dQ, dK, dV
