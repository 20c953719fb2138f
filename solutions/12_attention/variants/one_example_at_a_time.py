"""A loop over the examples, with products of two matrices only."""

import math

import torch


def weight(inputs, upstream):
    return sum(a.T @ b for a, b in zip(inputs, upstream))


def dWo(dout, context):
    return weight(context, dout)


def dcontext(dout, Wo):
    return torch.stack([each @ Wo.T for each in dout])


def dweights(dcontext, v):
    return torch.stack([upstream @ values.T for upstream, values in zip(dcontext, v)])


def dv(dcontext, weights):
    return torch.stack([each.T @ upstream for each, upstream in zip(weights, dcontext)])


def dtotal(dweights, exps, total):
    return torch.stack([-(d * e).sum(1, keepdim=True) / n**2 for d, e, n in zip(dweights, exps, total)])


def dexps(dweights, dtotal, total):
    return torch.stack([d / n + dn for d, n, dn in zip(dweights, total, dtotal)])


def dmasked(dexps, exps):
    return torch.stack([d * e for d, e in zip(dexps, exps)])


def dscores(dmasked, past):
    return torch.stack([each.tril() for each in dmasked])


def dq(dscores, k):
    return torch.stack([d @ keys for d, keys in zip(dscores, k)]) / math.sqrt(k.shape[-1])


def dk(dscores, q):
    return torch.stack([d.T @ queries for d, queries in zip(dscores, q)]) / math.sqrt(q.shape[-1])


def dWq(dq, x):
    return weight(x, dq)


def dWk(dk, x):
    return weight(x, dk)


def dWv(dv, x):
    return weight(x, dv)


def dx(dq, dk, dv, Wq, Wk, Wv):
    return torch.stack([a @ Wq.T + b @ Wk.T + c @ Wv.T for a, b, c in zip(dq, dk, dv)])


def dz(dp, p):
    return torch.stack([softmax_backward(d, rows) for d, rows in zip(dp, p)])


def softmax_backward(upstream, rows):
    return rows * (upstream - (upstream * rows).sum(1, keepdim=True))


def dV(dO, P):
    return torch.stack([each.T @ upstream for each, upstream in zip(P, dO)])


def dQ(dO, P, K, V):
    found = [softmax_backward(o @ v.T, p) @ k for o, p, k, v in zip(dO, P, K, V)]
    return torch.stack(found) / math.sqrt(K.shape[-1])


def dK(dO, P, Q, V):
    found = [softmax_backward(o @ v.T, p).T @ q for o, p, q, v in zip(dO, P, Q, V)]
    return torch.stack(found) / math.sqrt(Q.shape[-1])
