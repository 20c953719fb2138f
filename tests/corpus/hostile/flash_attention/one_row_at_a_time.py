"""Takes the softmax of one whole row at a time, with products of a matrix and a vector."""
# rows of any_tiles: failed
# rows of memory: failed
# rows of operations: failed

import torch
from right import add_tile, correction, flash_backward, tile_backward


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for t, q in enumerate(Q):
        last = min(len(K), t + 1) if causal else len(K)
        scores = K[:last] @ q / Q.shape[1] ** 0.5
        O[t], L[t] = scores.softmax(0) @ V[:last], scores.logsumexp(0)
    return O, L
