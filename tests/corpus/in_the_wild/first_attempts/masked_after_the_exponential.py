"""The mask is applied to the exponentials, and the maximum is that of forbidden scores, too.

lesson: 19
flash_forward: failed | = You mask after the exponential. If a score that a query may not read is the largest of its
    row by far, the weights of the others vanish.
any_tiles: failed | = You mask after the exponential. If a score that a query may not read is the largest of its row
    by far, the weights of the others vanish.
"""

def flash_forward(Q, K, V, causal, rows, columns):
    O = torch.zeros_like(Q)
    L = Q.new_zeros(len(Q))
    for top in range(0, len(Q), rows):
        q = Q[top:top + rows]
        m = Q.new_full((len(q),), float("-inf"))
        l = Q.new_zeros(len(q))
        acc = torch.zeros_like(q)
        for left in range(0, len(K), columns):
            if causal and left > top + len(q) - 1:
                continue
            k = K[left:left + columns]
            s = q @ k.T / Q.shape[1] ** 0.5
            largest = torch.maximum(m, s.amax(1))
            w = torch.exp(s - largest[:, None])
            if causal:
                w = w * causal_tile(top, top + len(q), left, left + len(k))
            shrink = torch.exp(m - largest)
            l = l * shrink + w.sum(1)
            acc = acc * shrink[:, None] + w @ V[left:left + columns]
            m = largest
        O[top:top + rows] = acc / l[:, None]
        L[top:top + rows] = m + l.log()
    return O, L
