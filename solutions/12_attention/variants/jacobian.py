"""The softmax by its Jacobian, a matrix for each row; weights by flattening batch and time into one axis."""

import torch


def weight(inputs, upstream):
    return inputs.reshape(-1, inputs.shape[-1]).T @ upstream.reshape(-1, upstream.shape[-1])


def jacobian(rows):
    """diag(p) - p pᵀ for each row p."""
    return torch.diag_embed(rows) - rows.unsqueeze(-1) * rows.unsqueeze(-2)


def through_softmax(upstream, rows):
    return (jacobian(rows) @ upstream.unsqueeze(-1)).squeeze(-1)


def dWo(dout, context):
    return weight(context, dout)


def dcontext(dout, Wo):
    return (dout.reshape(-1, dout.shape[-1]) @ Wo.t()).view(*dout.shape[:2], -1)


def dweights(dcontext, v):
    return torch.bmm(dcontext, v.mT)


def dv(dcontext, weights):
    return torch.bmm(weights.mT, dcontext)


def dtotal(dweights, exps, total):
    return (dweights * -exps * total**-2).sum(-1, keepdim=True)


def dexps(dweights, dtotal, total):
    return dweights * total**-1 + dtotal.expand_as(dweights)


def dmasked(dexps, exps):
    return exps * dexps


def dscores(dmasked, past):
    return torch.where(past, dmasked, 0.0)


def dq(dscores, k):
    return torch.bmm(dscores * k.shape[-1] ** -0.5, k)


def dk(dscores, q):
    return torch.bmm(dscores.mT * q.shape[-1] ** -0.5, q)


def dWq(dq, x):
    return weight(x, dq)


def dWk(dk, x):
    return weight(x, dk)


def dWv(dv, x):
    return weight(x, dv)


def dx(dq, dk, dv, Wq, Wk, Wv):
    return torch.cat((dq, dk, dv), -1) @ torch.cat((Wq, Wk, Wv), 1).T


def dz(dp, p):
    return through_softmax(dp, p)


def dV(dO, P):
    return torch.bmm(P.mT, dO)


def dQ(dO, P, K, V):
    return torch.bmm(through_softmax(torch.bmm(dO, V.mT), P), K) / K.shape[-1] ** 0.5


def dK(dO, P, Q, V):
    return torch.bmm(through_softmax(torch.bmm(dO, V.mT), P).mT, Q) / Q.shape[-1] ** 0.5
