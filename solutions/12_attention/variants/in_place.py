"""In place, on tensors of its own."""

import torch


def weight(inputs, upstream):
    gradient = torch.zeros(inputs.shape[-1], upstream.shape[-1], dtype=upstream.dtype)
    for a, b in zip(inputs, upstream):
        gradient.addmm_(a.T, b)
    return gradient


def dWo(dout, context):
    return weight(context, dout)


def dcontext(dout, Wo):
    return torch.matmul(dout, Wo.T)


def dweights(dcontext, v):
    return torch.matmul(dcontext, v.transpose(-1, -2))


def dv(dcontext, weights):
    gradient = torch.zeros_like(dcontext)
    gradient += weights.transpose(-1, -2) @ dcontext
    return gradient


def dtotal(dweights, exps, total):
    gradient = dweights.clone()
    gradient *= exps
    gradient = gradient.sum(2, keepdim=True)
    gradient /= total
    gradient /= total
    return gradient.neg_()


def dexps(dweights, dtotal, total):
    return dweights.clone().div_(total).add_(dtotal)


def dmasked(dexps, exps):
    return dexps.clone().mul_(exps)


def dscores(dmasked, past):
    gradient = dmasked.clone()
    gradient[:, ~past] = 0
    return gradient


def dq(dscores, k):
    return (dscores @ k).div_(k.shape[2] ** 0.5)


def dk(dscores, q):
    return (dscores.transpose(1, 2) @ q).div_(q.shape[2] ** 0.5)


def dWq(dq, x):
    return weight(x, dq)


def dWk(dk, x):
    return weight(x, dk)


def dWv(dv, x):
    return weight(x, dv)


def dx(dq, dk, dv, Wq, Wk, Wv):
    gradient = dv @ Wv.T
    gradient += dq @ Wq.T
    gradient += dk @ Wk.T
    return gradient


def dz(dp, p):
    gradient = dp * p
    return gradient.sub_(p * gradient.sum(-1, keepdim=True))


def dV(dO, P):
    return P.transpose(1, 2) @ dO


def dQ(dO, P, K, V):
    gradient = (dO @ V.transpose(1, 2)).mul_(P)
    gradient -= P * gradient.sum(-1, keepdim=True)
    return (gradient @ K).mul_(K.shape[2] ** -0.5)


def dK(dO, P, Q, V):
    gradient = (dO @ V.transpose(1, 2)).mul_(P)
    gradient -= P * gradient.sum(-1, keepdim=True)
    return (gradient.transpose(1, 2) @ Q).mul_(Q.shape[2] ** -0.5)
