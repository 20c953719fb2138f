"""`tile_backward` is called twice for each tile, for dQ in one loop and for dK and dV in another: the README allows it.

lesson: 19
by: both
"""

def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    D = correction(dO, O)

    def tile(top, left):
        bottom, right = min(top + rows, len(Q)), min(left + columns, len(K))
        allowed = causal_tile(top, bottom, left, right) if causal else torch.full((bottom - top, right - left), True)
        here, there = slice(top, bottom), slice(left, right)
        return tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], allowed)

    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    for top in range(0, len(Q), rows):
        end = min(top + rows, len(Q), len(K)) if causal else len(K)
        for left in range(0, end, columns):
            dQ[top : top + rows] += tile(top, left)[0]
    for left in range(0, len(K), columns):
        for top in range(left // rows * rows if causal else 0, len(Q), rows):
            _, dk, dv = tile(top, left)
            dK[left : left + columns] += dk
            dV[left : left + columns] += dv
    return dQ, dK, dV
