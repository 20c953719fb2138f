"""Queries and keys are filled up with zeros to whole tiles; one mask for padding and future; the tiles are views."""

import torch
import torch.nn.functional as F


def causal_tile(top, bottom, left, right):
    return torch.arange(left, right) <= torch.arange(top, bottom)[:, None]


def add_tile(m, l, acc, scores, V):
    pairs = torch.stack((m, scores.amax(1)))
    largest = pairs.amax(0)
    shrink, weights = (m - largest).exp(), (scores - largest[:, None]).exp()
    return largest, (l * shrink).add(weights.sum(1)), (acc.T * shrink).T + weights @ V


def filled_up(tensor, size):
    more = -len(tensor) % size
    wide = F.pad(tensor, (0, 0, 0, more)) if tensor.ndim == 2 else F.pad(tensor, (0, more))
    return wide.unflatten(0, (-1, size))


def reads(i, j, rows, columns, keys, causal):
    """Which queries of tile i read which keys of tile j, padding included."""
    top, left = i * rows, j * columns
    there = torch.arange(left, left + columns) < keys
    return causal_tile(top, top + rows, left, left + columns) & there if causal else there.expand(rows, columns)


def visited(count, other, rows, columns, causal):
    return ((i, j) for i in range(count) for j in range(other) if not causal or j * columns < (i + 1) * rows)


def flash_forward(Q, K, V, causal, rows, columns):
    q, k, v = filled_up(Q, rows), filled_up(K, columns), filled_up(V, columns)
    m, l, acc = torch.full_like(q[:, :, 0], -torch.inf), torch.zeros_like(q[:, :, 0]), torch.zeros_like(q)
    for i, j in visited(len(q), len(k), rows, columns, causal):
        if causal and j * columns >= len(Q):
            continue
        scores = q[i] @ k[j].T * Q.shape[1] ** -0.5
        scores = scores.masked_fill(~reads(i, j, rows, columns, len(K), causal), -torch.inf)
        m[i], l[i], acc[i] = add_tile(m[i], l[i], acc[i], scores, v[j])
    return (acc / l[..., None]).flatten(0, 1)[: len(Q)].clone(), (m + l.log()).flatten()[: len(Q)].clone()


def correction(dO, O):
    return (dO * O) @ torch.ones(O.shape[1], dtype=O.dtype)


def tile_backward(dO, q, k, v, L, D, allowed):
    scores = q @ k.T * q.shape[1] ** -0.5
    scores[~allowed] = -torch.inf
    P = (scores - L[:, None]).exp()
    dS = (P * (dO @ v.T) - P * D[:, None]) * q.shape[1] ** -0.5
    return dS @ k, (q.T @ dS).T, (dO.T @ P).T


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    do, q, k, v = filled_up(dO, rows), filled_up(Q, rows), filled_up(K, columns), filled_up(V, columns)
    l, d = filled_up(L, rows), filled_up(correction(dO, O), rows)
    dQ, dK, dV = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for i, j in visited(len(q), len(k), rows, columns, causal):
        if causal and j * columns >= len(Q):
            continue
        inside = (torch.arange(i * rows, (i + 1) * rows) < len(Q))[:, None]  # rows of padding have no log-sum-exp
        allowed = reads(i, j, rows, columns, len(K), causal) & inside
        dq, dk, dv = tile_backward(do[i], q[i], k[j], v[j], l[i], d[i], allowed)
        dQ[i] += dq
        dK[j] += dk
        dV[j] += dv
    return tuple(g.flatten(0, 1)[: len(t)].clone() for g, t in ((dQ, Q), (dK, K), (dV, V)))
