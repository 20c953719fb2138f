"""A list with small tensors for each query takes memory for the objects, but holds no scores: that is honest work.

lesson: 19
"""


def correction(dO, O):
    products = [dO[i] * O[i] for i in range(len(O))]
    return torch.stack([p.sum() for p in products])


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    D = correction(dO, O)
    dQ, dK, dV = [], torch.zeros_like(K), torch.zeros_like(V)
    for top in range(0, len(Q), rows):
        bottom = min(top + rows, len(Q))
        dq = torch.zeros_like(Q[top:bottom])
        for left in range(0, len(K), columns):
            right = min(left + columns, len(K))
            if causal and left >= bottom:
                continue
            allowed = causal_tile(top, bottom, left, right) if causal else torch.ones(bottom - top, right - left, dtype=torch.bool)
            a, b, c = tile_backward(dO[top:bottom], Q[top:bottom], K[left:right], V[left:right], L[top:bottom], D[top:bottom], allowed)
            dq += a; dK[left:right] += b
            dV[left:right] += c
        dQ += list(dq)
    return torch.stack(dQ), dK, dV
