"""Powers of two instead of e, as fast kernels do: exp(x) = 2 ** (x / ln 2)."""

import math

import torch

LOG2E = 1 / math.log(2)


def causal_tile(top, bottom, left, right):
    return torch.arange(left, right) <= torch.arange(top, bottom)[:, None]


def add_tile(m, l, acc, scores, V):
    largest = torch.maximum(m, scores.amax(1))
    shrink = torch.exp2((m - largest) * LOG2E)
    weights = torch.exp2((scores - largest[:, None]) * LOG2E)
    return largest, l * shrink + weights.sum(1), acc * shrink[:, None] + weights @ V


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.zeros_like(Q), torch.zeros_like(Q[:, 0])
    scale = LOG2E / math.sqrt(Q.shape[1])
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows] * scale  # scores in units of ln 2
        m, l, acc = torch.full_like(q[:, 0], -math.inf), torch.zeros_like(q[:, 0]), torch.zeros_like(q)
        for left in range(0, len(K), columns):
            if causal and left > top + len(q) - 1:
                break
            k = K[left : left + columns]
            scores = q @ k.T
            if causal and left + len(k) > top:
                scores = scores.masked_fill(~causal_tile(top, top + len(q), left, left + len(k)), -math.inf)
            largest = torch.maximum(m, scores.amax(1))
            shrink, weights = torch.exp2(m - largest), torch.exp2(scores - largest[:, None])
            m, l, acc = largest, l * shrink + weights.sum(1), acc * shrink[:, None] + weights @ V[left : left + columns]
        O[top : top + rows] = acc / l[:, None]
        L[top : top + rows] = (m + torch.log2(l)) / LOG2E
    return O, L


def correction(dO, O):
    return (O * dO).sum(-1)


def tile_backward(dO, q, k, v, L, D, allowed):
    scale = 1 / math.sqrt(q.shape[1])
    exponent = (q @ k.T * scale - L[:, None]) * LOG2E
    P = torch.exp2(exponent.masked_fill(~allowed, -math.inf))
    dS = P * (dO @ v.T - D[:, None]) * scale
    return dS @ k, dS.T @ q, P.T @ dO


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    D = correction(dO, O)
    grads = [torch.zeros_like(tensor) for tensor in (Q, K, V)]
    for top in range(0, len(Q), rows):
        for left in range(0, len(K), columns):
            bottom, right = min(top + rows, len(Q)), min(left + columns, len(K))
            if causal and left >= bottom:
                break
            mask = causal_tile(top, bottom, left, right) if causal else torch.ones(1, 1, dtype=torch.bool)
            places = (slice(top, bottom), slice(left, right), slice(left, right))
            q, k, v = (tensor[place] for tensor, place in zip((Q, K, V), places, strict=True))
            parts = tile_backward(dO[top:bottom], q, k, v, L[top:bottom], D[top:bottom], mask)
            for grad, place, part in zip(grads, places, parts, strict=True):
                grad[place] += part
    return tuple(grads)
