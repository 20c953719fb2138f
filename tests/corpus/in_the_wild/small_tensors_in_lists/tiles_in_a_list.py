"""A list that keeps the scores of every tile holds all scores, however small the tiles are.

lesson: 19
memory: failed | `flash_backward` took
operations: any
"""


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    D = correction(dO, O)
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    tiles = []
    for top in range(0, len(Q), rows):
        for left in range(0, len(K), columns):
            bottom, right = min(top + rows, len(Q)), min(left + columns, len(K))
            if causal and left >= bottom:
                continue
            allowed = causal_tile(top, bottom, left, right) if causal else torch.ones(bottom - top, right - left, dtype=torch.bool)
            tiles.append(Q[top:bottom] @ K[left:right].T)
            a, b, c = tile_backward(dO[top:bottom], Q[top:bottom], K[left:right], V[left:right], L[top:bottom], D[top:bottom], allowed)
            dQ[top:bottom] += a
            dK[left:right] += b
            dV[left:right] += c
    return dQ, dK, dV
