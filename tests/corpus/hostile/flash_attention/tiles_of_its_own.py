"""Takes tiles of 256 by 256, whatever `rows` and `columns` are."""
# rows of any_tiles: failed
# rows of operations: failed

import right
from right import add_tile, correction, tile_backward


def flash_forward(Q, K, V, causal, rows, columns):
    return right.flash_forward(Q, K, V, causal, 256, 256)


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    return right.flash_backward(dO, Q, K, V, O, L, causal, 256, 256)
