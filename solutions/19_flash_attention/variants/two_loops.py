"""Two loops in the backward pass, one for dQ and one for dK and dV, so that each result has one writer."""

import torch


def causal_tile(top, bottom, left, right):
    return torch.arange(left, right) <= torch.arange(top, bottom)[:, None]


def tiles(count, size):
    return [(start, min(start + size, count)) for start in range(0, count, size)]


def add_tile(m, l, acc, scores, V):
    largest = torch.cat((m[:, None], scores), 1).amax(1)
    weights = torch.exp(scores.T - largest).T
    shrink = torch.exp(m - largest)
    return largest, torch.addcmul(weights.sum(1), l, shrink), torch.addmm(acc * shrink[:, None], weights, V)


def scores_of(Q, K, causal, top, bottom, left, right):
    scores = (Q[top:bottom] / Q.shape[1] ** 0.5) @ K[left:right].T
    if causal and right > top + 1:
        scores = scores.masked_fill(causal_tile(top, bottom, left, right).logical_not(), float("-inf"))
    return scores


def flash_forward(Q, K, V, causal, rows, columns):
    outputs, sums = [], []
    for top, bottom in tiles(len(Q), rows):
        m = torch.full((bottom - top,), float("-inf"), dtype=Q.dtype)
        l, acc = torch.zeros_like(m), torch.zeros(bottom - top, V.shape[1], dtype=Q.dtype)
        for left, right in tiles(len(K), columns):
            if not causal or left < bottom:
                m, l, acc = add_tile(m, l, acc, scores_of(Q, K, causal, top, bottom, left, right), V[left:right])
        outputs.append(acc / l[:, None])
        sums.append(m + l.log())
    return torch.cat(outputs), torch.cat(sums)


def correction(dO, O):
    return torch.einsum("qd,qd->q", dO, O)


def tile_backward(dO, q, k, v, L, D, allowed):
    scores = (q / q.shape[1] ** 0.5) @ k.T
    P = torch.exp(torch.where(allowed, scores, torch.tensor(float("-inf"), dtype=q.dtype)) - L[:, None])
    dS = (dO @ v.T - D[:, None]) * P / q.shape[1] ** 0.5
    return dS @ k, dS.T @ q, P.T @ dO


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    D, root = correction(dO, O), Q.shape[1] ** 0.5
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    for left, right in tiles(len(K), columns):
        for top, bottom in tiles(len(Q), rows):
            if causal and left >= bottom:
                continue
            P = torch.exp(scores_of(Q, K, causal, top, bottom, left, right) - L[top:bottom, None])
            dV[left:right] += P.T @ dO[top:bottom]
            dS = P * (dO[top:bottom] @ V[left:right].T - D[top:bottom, None])
            dK[left:right] += dS.T @ Q[top:bottom] / root
    for top, bottom in tiles(len(Q), rows):
        for left, right in tiles(len(K), columns):
            if causal and left >= bottom:
                break
            P = torch.exp(scores_of(Q, K, causal, top, bottom, left, right) - L[top:bottom, None])
            dS = P * (dO[top:bottom] @ V[left:right].T - D[top:bottom, None])
            dQ[top:bottom] += dS @ K[left:right] / root
    return dQ, dK, dV
