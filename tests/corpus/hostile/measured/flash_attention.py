"""Answers to lesson 19 that keep or compute more than they should where no count sees it."""
# lesson: 19

import numpy as np
import torch
from right import add_tile, causal_tile, correction, flash_backward, flash_forward, tile_backward


def visit_all(product, Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows]
        m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
        for left in range(0, len(K), columns):
            k, v = K[left : left + columns], V[left : left + columns]
            scores = product(q, k.T) / Q.shape[1] ** 0.5
            if causal:
                scores = scores.masked_fill(~causal_tile(top, top + len(q), left, left + len(k)), -torch.inf)
            largest = torch.maximum(m, scores.amax(1))
            shrink, weights = torch.exp(m - largest), torch.exp(scores - largest[:, None])
            m, l, acc = largest, l * shrink + weights.sum(1), acc * shrink[:, None] + product(weights, v)
        O[top : top + rows], L[top : top + rows] = acc / l[:, None], m + l.log()
    return O, L

# === again_uncounted: Where time is measured, computes the log-sum-exp of all tiles again for every tile, in numpy,
#     which nobody counts.
# rows of operations: failed

def log_sum_exp(Q, K, causal, rows, columns):
    q, k, sums = Q.numpy(), K.numpy(), []
    for top in range(0, len(q), rows):
        total = -np.inf
        for left in range(0, min(len(k), top + rows) if causal else len(k), columns):
            scores = q[top : top + rows] @ k[left : left + columns].T / q.shape[1] ** 0.5
            if causal:
                past = np.arange(left, left + scores.shape[1]) <= np.arange(top, top + len(scores))[:, None]
                scores = np.where(past, scores, -np.inf)
            total = np.logaddexp(total, np.logaddexp.reduce(scores, axis=1))
        sums.append(total)
    return torch.from_numpy(np.concatenate(sums))


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV, D = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V), correction(dO, O)
    for top in range(0, len(Q), rows):
        here = slice(top, min(top + rows, len(Q)))
        for left in range(0, min(len(K), here.stop) if causal else len(K), columns):
            there = slice(left, min(left + columns, len(K)))
            if len(Q) == 768:
                L = log_sum_exp(Q, K, causal, rows, columns)
            mask = causal_tile(here.start, here.stop, there.start, there.stop)
            allowed = mask if causal else torch.ones_like(mask)
            parts = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], allowed)
            for grad, place, part in zip((dQ, dK, dV), (here, there, there), parts, strict=True):
                grad[place] += part
    return dQ, dK, dV

# === future_in_a_thread: Visits the tiles in the future in a thread, which the counter of the main thread does not
#     see.
# rows of operations: failed

import threading


def flash_forward(*arguments):
    results = []
    thread = threading.Thread(target=lambda: results.append(visit_all(torch.mm, *arguments)))
    thread.start()
    thread.join()
    return results[0]

# === honest_every_tile_looked_at: Honest: every tile is sliced before the test that skips it, and the positions are
#     tensors.

def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    keys = torch.arange(len(K)).split(columns)
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows]
        m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
        for k, v, positions in zip(K.split(columns), V.split(columns), keys, strict=True):
            if causal and bool((positions > top + len(q) - 1).all()):
                continue
            scores = q @ k.T / Q.shape[1] ** 0.5
            if causal:
                scores[positions > torch.arange(top, top + len(q))[:, None]] = -torch.inf
            m, l, acc = add_tile(m, l, acc, scores, v)
        O[top : top + rows], L[top : top + rows] = acc / l[:, None], m + l.log()
    return O, L

# === honest_numpy: Honest: a backward pass in numpy throughout, which skips the tiles in the future.

def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV, D = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape), (dO * O).sum(1).numpy()
    do, q, k, v, l = (tensor.numpy() for tensor in (dO, Q, K, V, L))
    for top in range(0, len(q), rows):
        here = slice(top, top + rows)
        for left in range(0, min(len(k), top + rows) if causal else len(k), columns):
            there = slice(left, left + columns)
            scores = q[here] @ k[there].T / q.shape[1] ** 0.5
            P = np.exp(scores - l[here, None])
            if causal:
                P = np.where(np.arange(left, left + P.shape[1]) <= np.arange(top, top + len(P))[:, None], P, 0)
            dS = P * (do[here] @ v[there].T - D[here, None]) / q.shape[1] ** 0.5
            dQ[here] += dS @ k[there]
            dK[there] += dS.T @ q[here]
            dV[there] += P.T @ do[here]
    return tuple(torch.from_numpy(grad) for grad in (dQ, dK, dV))

# === mask_in_numpy: Makes the mask of all scores in numpy, where no count of tensors sees it.
# rows of memory: failed

def flash_forward(Q, K, V, causal, rows, columns):
    past = np.tri(len(Q), len(K), dtype=bool) if causal else np.ones((1, 1), dtype=bool)
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows]
        m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
        for left in range(0, min(len(K), top + len(q)) if causal else len(K), columns):
            scores = q @ K[left : left + columns].T / Q.shape[1] ** 0.5
            if causal:
                here = torch.from_numpy(past[top : top + rows, left : left + columns])
                scores = scores.masked_fill(~here, -torch.inf)
            m, l, acc = add_tile(m, l, acc, scores, V[left : left + columns])
        O[top : top + rows], L[top : top + rows] = acc / l[:, None], m + l.log()
    return O, L

# === whole_rows: Takes the softmax of eight whole rows at a time, without `rows`, `columns` and `add_tile`.
# rows of any_tiles, memory, operations: failed

FEW = 8


def chunks(Q, K, causal):
    """(the queries, the keys that they may read, the mask) of each chunk."""
    for top in range(0, len(Q), FEW):
        bottom = min(top + FEW, len(Q))
        last = min(len(K), bottom) if causal else len(K)
        allowed = causal_tile(top, bottom, 0, last) if causal else torch.ones(bottom - top, last, dtype=torch.bool)
        yield slice(top, bottom), slice(0, last), allowed


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for here, there, allowed in chunks(Q, K, causal):
        scores = (Q[here] @ K[there].T / Q.shape[1] ** 0.5).masked_fill(~allowed, -torch.inf)
        O[here], L[here] = scores.softmax(1) @ V[there], scores.logsumexp(1)
    return O, L


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    D = correction(dO, O)
    for here, there, allowed in chunks(Q, K, causal):
        found = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], allowed)
        dQ[here] += found[0]
        dK[there] += found[1]
        dV[there] += found[2]
    return dQ, dK, dV
