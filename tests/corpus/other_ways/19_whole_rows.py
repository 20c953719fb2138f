"""A softmax over a few whole rows: `rows`, `columns` and `add_tile` are not used."""
# lesson: 19
# fails: any_tiles, memory, operations


def whole_rows(Q, K, causal, top):
    q, last = Q[top : top + 16], min(len(K), top + 16, len(Q)) if causal else len(K)
    scores = q @ K[:last].T / Q.shape[1] ** 0.5
    return scores.masked_fill(~causal_tile(top, top + len(q), 0, last), -torch.inf) if causal else scores


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for top in range(0, len(Q), 16):
        scores = whole_rows(Q, K, causal, top)
        O[top : top + 16] = scores.softmax(1) @ V[: scores.shape[1]]
        L[top : top + 16] = scores.logsumexp(1)
    return O, L


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    D = correction(dO, O)
    for top in range(0, len(Q), 16):
        here = slice(top, top + 16)
        scores = whole_rows(Q, K, causal, top)
        last = scores.shape[1]
        P = torch.exp(scores - L[here, None])
        dS = P * (dO[here] @ V[:last].T - D[here, None]) / Q.shape[1] ** 0.5
        dQ[here] = dS @ K[:last]
        dK[:last] += dS.T @ Q[here]
        dV[:last] += P.T @ dO[here]
    return dQ, dK, dV
