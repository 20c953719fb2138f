"""All scores at once. The products are sums, so that none is counted."""
# lesson: 19
# fails: any_tiles, memory, operations, precision


def all_scores(Q, K, causal):
    scores = (Q[:, None] * K).sum(2) / Q.shape[1] ** 0.5
    return scores.masked_fill(~causal_tile(0, len(Q), 0, len(K)), -torch.inf) if causal else scores


def flash_forward(Q, K, V, causal, rows, columns):
    if causal:
        K, V = K[: len(Q)], V[: len(Q)]
    scores = all_scores(Q, K, causal)
    return (scores.softmax(1)[..., None] * V).sum(1), scores.logsumexp(1)


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dK, dV, last = torch.zeros_like(K), torch.zeros_like(V), len(Q) if causal else len(K)
    k, v = K[:last], V[:last]
    P = torch.exp(all_scores(Q, k, causal) - L[:, None])
    dS = P * ((dO[:, None] * v).sum(2) - correction(dO, O)[:, None]) / Q.shape[1] ** 0.5
    dK[:last], dV[:last] = (dS[..., None] * Q[:, None]).sum(0), (P[..., None] * dO[:, None]).sum(0)
    return (dS[..., None] * k).sum(1), dK, dV
