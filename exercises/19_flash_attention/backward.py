"""Lesson 19: flash attention.

Write one function after the other. There is no forward.py: you write the forward pass, too.
Check your work with `dojo check 19`. README.md explains the algorithm and works out the first function.

Everywhere, Q has shape (queries, size), K and V have shape (keys, size), and a score is the product of a query and a
key, divided by the root of `size`. With `causal`, query t reads the keys s <= t only. Both are counted from 0.
"""

import torch


def causal_tile(top, bottom, left, right):
    """Return a mask (bottom - top, right - left): True where query t of top..bottom-1 may read key s of left..right-1.

    This function is given. You can use it, or write the mask in another way.
    """
    return torch.arange(left, right) <= torch.arange(top, bottom)[:, None]


def add_tile(m, l, acc, scores, V):
    """Return (m, l, acc) after one more tile of scores. The results are new tensors.

    Parameters:
        m: (rows,), the largest score of each row so far; minus infinity before the first tile.
        l: (rows,), the sum of exp(score - m) over the scores so far; 0 before the first tile.
        acc: (rows, size), the sum of exp(score - m) times the value of that key; 0 before the first tile.
        scores: (rows, columns), the new scores. Some of them may be minus infinity, but in the first tile never a
            whole row.
        V: (columns, size), the values of these keys.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def flash_forward(Q, K, V, causal, rows, columns):
    """Return (O, L): the output (queries, size), and the log-sum-exp of each query's scores (queries,).

    Work on tiles of `rows` queries and `columns` keys. The last tile of an axis may be smaller. Skip a tile if none of
    its queries may read any of its keys. Never hold more scores than those of one tile.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def correction(dO, O):
    """Return D (queries,): for each query, the sum of `dP * P` over all of its keys, but computed without P.

    `dO` and `O` have shape (queries, size).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def tile_backward(dO, q, k, v, L, D, allowed):
    """Return (dq, dk, dv): what one tile contributes to the gradients of its queries, keys and values.

    Parameters:
        dO: (rows, size), the upstream gradient of the outputs of these queries.
        q: (rows, size); k and v: (columns, size).
        L: (rows,), the log-sum-exp of each query over all of its keys, not only those of this tile.
        D: (rows,), the correction of each query.
        allowed: (rows, columns), True where a query may read a key. A forbidden score can be the largest of its row.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    """Return (dQ, dK, dV), computed tile by tile from what `flash_forward` returned.

    Skip a tile if none of its queries may read any of its keys. Never hold more scores than those of one tile.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
