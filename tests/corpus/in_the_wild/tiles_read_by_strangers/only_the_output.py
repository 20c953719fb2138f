"""`flash_forward` forgets to return L: no row says that of `flash_backward`.

lesson: 19
flash_forward: shape | = `flash_forward` returned a tensor of shape (8, 5); expected a tuple of 2.
any_tiles: shape | = `flash_forward` returned a tensor of shape (7, 5); expected a tuple of 2.
memory: failed | = `flash_forward` is not right yet. This row counts once its values are right.
operations: failed | = `flash_forward` is not right yet. This row counts once its values are right.
precision: shape | = `flash_forward` returned a tensor of shape (48, 16), which is not what was expected.
"""

def flash_forward(Q, K, V, causal, rows, columns):
    O = torch.zeros_like(Q)
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows]
        m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
        for left in range(0, min(len(K), top + len(q)) if causal else len(K), columns):
            k = K[left : left + columns]
            scores = q @ k.T / Q.shape[1] ** 0.5
            if causal:
                scores = scores.masked_fill(~causal_tile(top, top + len(q), left, left + len(k)), -torch.inf)
            m, l, acc = add_tile(m, l, acc, scores, V[left : left + columns])
        O[top : top + rows] = acc / l[:, None]
    return O
