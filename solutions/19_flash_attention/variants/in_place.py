"""In place on tensors of its own, with one buffer for the scores of a tile."""

import torch


def causal_tile(top, bottom, left, right):
    return torch.arange(left, right) <= torch.arange(top, bottom)[:, None]


def add_tile(m, l, acc, scores, V):
    largest = torch.maximum(m, scores.amax(1))
    m, l, acc, weights = (
        largest,
        l.clone().mul_((m - largest).exp_()),
        acc * (m - largest).exp_()[:, None],
        scores.clone(),
    )
    weights.sub_(largest[:, None]).exp_()
    return m, l.add_(weights.sum(1)), acc.addmm_(weights, V)


def masked(scores, causal, top, left):
    if causal and left + scores.shape[1] > top + 1:
        scores.masked_fill_(~causal_tile(top, top + len(scores), left, left + scores.shape[1]), -torch.inf)
    return scores


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.zeros_like(Q), torch.full_like(Q[:, 0], -torch.inf)  # L: the log-sum-exp so far
    for top in range(0, len(Q), rows):
        bottom = min(top + rows, len(Q))
        end = min(len(K), bottom) if causal else len(K)
        for left in range(0, end, columns):
            scores = Q[top:bottom].matmul(K[left : left + columns].T).div_(Q.shape[1] ** 0.5)
            masked(scores, causal, top, left)
            of_tile = scores.logsumexp(1)
            together = torch.logaddexp(L[top:bottom], of_tile)
            O[top:bottom].mul_((L[top:bottom] - together).exp_()[:, None])
            O[top:bottom].addmm_(scores.sub_(together[:, None]).exp_(), V[left : left + columns])
            L[top:bottom] = together
    return O, L


def correction(dO, O):
    return dO.mul(O).sum(1)


def tile_backward(dO, q, k, v, L, D, allowed):
    P = q.matmul(k.T).div_(q.shape[1] ** 0.5).masked_fill_(~allowed, -torch.inf).sub_(L[:, None]).exp_()
    dS = dO.matmul(v.T).sub_(D[:, None]).mul_(P).div_(q.shape[1] ** 0.5)
    return dS.matmul(k), dS.T.matmul(q), P.T.matmul(dO)


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = (torch.zeros_like(tensor) for tensor in (Q, K, V))
    D = correction(dO, O)
    for top in range(0, len(Q), rows):
        bottom = min(top + rows, len(Q))
        q, do = Q[top:bottom], dO[top:bottom]
        for left in range(0, min(len(K), bottom) if causal else len(K), columns):
            k, v = K[left : left + columns], V[left : left + columns]
            P = masked(q.matmul(k.T).div_(Q.shape[1] ** 0.5), causal, top, left).sub_(L[top:bottom, None]).exp_()
            dV[left : left + columns].addmm_(P.T, do)
            dS = do.matmul(v.T).sub_(D[top:bottom, None]).mul_(P).div_(Q.shape[1] ** 0.5)
            dQ[top:bottom].addmm_(dS, k)
            dK[left : left + columns].addmm_(dS.T, q)
    return dQ, dK, dV
