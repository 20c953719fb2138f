"""Visits the tiles in the future; its products are sums of products, which nobody counts."""
# rows of operations: failed

from every_tile import visit_all
from right import add_tile, causal_tile, correction, flash_backward, tile_backward


def product(a, b):
    return (
        sum(a[:, i, None] * b[i] for i in range(a.shape[1])) if a.shape[1] < b.shape[1] else (a[:, :, None] * b).sum(1)
    )


def flash_forward(Q, K, V, causal, rows, columns):
    return visit_all(product, Q, K, V, causal, rows, columns)
