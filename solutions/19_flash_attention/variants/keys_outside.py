"""The order of the first FlashAttention paper: keys in the outer loop, `O` divided by the sum after every tile."""

import math

import torch


def causal_tile(top, bottom, left, right):
    return torch.arange(left, right) <= torch.arange(top, bottom)[:, None]


def add_tile(m, l, acc, scores, V):
    of_tile = scores.max(1).values
    largest = torch.where(of_tile > m, of_tile, m)
    weights = (scores - largest.unsqueeze(1)).exp()
    return largest, (m - largest).exp() * l + weights.sum(1), torch.diag((m - largest).exp()) @ acc + weights @ V


def flash_forward(Q, K, V, causal, rows, columns):
    O = torch.zeros_like(Q)
    l = Q.new_zeros(len(Q))
    m = Q.new_full((len(Q),), -math.inf)
    for left in range(0, len(K), columns):
        k, v = K[left : left + columns], V[left : left + columns]
        first = left // rows * rows if causal else 0
        for top in range(first, len(Q), rows):
            here = slice(top, min(top + rows, len(Q)))
            scores = Q[here] @ k.T / math.sqrt(Q.shape[1])
            if causal:
                scores[~causal_tile(top, here.stop, left, left + len(k))] = -math.inf
            largest = torch.maximum(m[here], scores.amax(1))
            weights = torch.exp(scores - largest[:, None])
            old = torch.exp(m[here] - largest) * l[here]
            total = old + weights.sum(1)
            O[here] = (old[:, None] * O[here] + weights @ v) / total[:, None]
            m[here], l[here] = largest, total
    return O, m + torch.log(l)


def correction(dO, O):
    return torch.stack([dO[:, j] * O[:, j] for j in range(O.shape[1])]).sum(0)


def tile_backward(dO, q, k, v, L, D, allowed):
    root = math.sqrt(q.shape[1])
    P = torch.where(allowed, q @ k.T / root - L[:, None], torch.full_like(L[:, None], -math.inf)).exp()
    dv = P.T @ dO
    dP = dO @ v.T
    dS = P * (dP - D[:, None])
    return dS @ k / root, dS.T @ q / root, dv


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    D = correction(dO, O)
    dQ = torch.zeros_like(Q)
    dK, dV = [], []
    for left in range(0, len(K), columns):
        k, v = K[left : left + columns], V[left : left + columns]
        dk, dv = torch.zeros_like(k), torch.zeros_like(v)
        for top in range(left // rows * rows if causal else 0, len(Q), rows):
            here = slice(top, min(top + rows, len(Q)))
            allowed = causal_tile(top, here.stop, left, left + len(k))
            if not causal:
                allowed = torch.ones_like(allowed)
            found = tile_backward(dO[here], Q[here], k, v, L[here], D[here], allowed)
            dQ[here] += found[0]
            dk += found[1]
            dv += found[2]
        dK.append(dk)
        dV.append(dv)
    return dQ, torch.cat(dK), torch.cat(dV)
