"""Products by einsum, sums by index."""

import torch


def causal_tile(top, bottom, left, right):
    return torch.ones(bottom - top, right - left, dtype=torch.bool).tril(top - left)


def add_tile(m, l, acc, scores, V):
    largest = torch.maximum(m, torch.amax(scores, dim=1))
    shrink = torch.exp(m - largest)
    weights = torch.exp(scores - largest.unsqueeze(-1))
    new_acc = torch.einsum("r,rd->rd", shrink, acc) + torch.einsum("rc,cd->rd", weights, V)
    return largest, shrink * l + torch.einsum("rc->r", weights), new_acc


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), torch.empty_like(Q[:, 0])
    for here in torch.arange(len(Q)).split(rows):
        q = Q[here]
        m, l, acc = torch.full_like(q[:, 0], float("-inf")), torch.zeros_like(q[:, 0]), torch.zeros_like(q)
        for there in torch.arange(len(K)).split(columns):
            if causal and there[0] > here[-1]:
                break
            scores = torch.einsum("rd,cd->rc", q, K[there]) / Q.shape[1] ** 0.5
            if causal:
                scores = torch.where(here[:, None] >= there, scores, float("-inf"))
            m, l, acc = add_tile(m, l, acc, scores, V[there])
        O[here] = torch.einsum("rd,r->rd", acc, 1 / l)
        L[here] = m + l.log()
    return O, L


def correction(dO, O):
    return torch.einsum("rd,rd->r", dO, O)


def tile_backward(dO, q, k, v, L, D, allowed):
    scores = torch.einsum("rd,cd->rc", q, k) / q.shape[1] ** 0.5
    P = torch.exp(scores.masked_fill(~allowed, float("-inf")) - L.unsqueeze(1))
    dP = torch.einsum("rd,cd->rc", dO, v)
    dS = torch.einsum("rc,rc->rc", P, dP - D.unsqueeze(1)) / q.shape[1] ** 0.5
    return torch.einsum("rc,cd->rd", dS, k), torch.einsum("rc,rd->cd", dS, q), torch.einsum("rc,rd->cd", P, dO)


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    D = correction(dO, O)
    for here in torch.arange(len(Q)).split(rows):
        for there in torch.arange(len(K)).split(columns):
            if causal and there[0] > here[-1]:
                break
            allowed = (here[:, None] >= there) | (not causal)
            dq, dk, dv = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], allowed)
            dQ.index_add_(0, here, dq)
            dK.index_add_(0, there, dk)
            dV.index_add_(0, there, dv)
    return dQ, dK, dV
