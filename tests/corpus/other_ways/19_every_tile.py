"""With `causal`, tiles that no query may read are computed as well."""
# lesson: 19
# fails: operations


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    D = correction(dO, O)
    for top in range(0, len(Q), rows):
        here = slice(top, min(top + rows, len(Q)))
        for left in range(0, len(K), columns):
            there = slice(left, min(left + columns, len(K)))
            allowed = causal_tile(top, here.stop, left, there.stop) | (not causal)
            dq, dk, dv = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], allowed)
            dQ[here] += dq
            dK[there] += dk
            dV[there] += dv
    return dQ, dK, dV
