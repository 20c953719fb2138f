"""A small number in the divisor: the factors of the rows are shown with enough digits to differ from 1.

lesson: 19
flash_forward: failed | = In `l[:, None] + 1e-6`, `1e-6` is one too many. Without it, `flash_forward` is right.
any_tiles: failed | `O` is wrong by
memory: failed | = `flash_forward` is not right yet. This row counts once its values are right.
operations: failed | = `flash_forward` is not right yet. This row counts once its values are right.
precision: any
"""

def flash_forward(Q, K, V, causal, rows, columns):
    n, size = Q.shape
    O, L = torch.zeros_like(Q), Q.new_zeros(n)
    for top in range(0, n, rows):
        bottom = min(top + rows, n)
        m = Q.new_full((bottom - top,), -float("inf"))
        l = Q.new_zeros(bottom - top)
        acc = Q.new_zeros(bottom - top, size)
        for left in range(0, min(bottom, len(K)) if causal else len(K), columns):
            right = min(left + columns, len(K))
            scores = Q[top:bottom] @ K[left:right].T / size**0.5
            if causal:
                scores = scores.masked_fill(~causal_tile(top, bottom, left, right), -float("inf"))
            m, l, acc = add_tile(m, l, acc, scores, V[left:right])
        O[top:bottom] = acc / (l[:, None] + 1e-6)
        L[top:bottom] = m + torch.log(l)
    return O, L
