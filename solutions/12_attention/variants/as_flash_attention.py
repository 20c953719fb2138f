"""The softmax's sum over the row as flash attention takes it: the sum of dp · p is that of dO · O."""

import torch


def dWo(dout, context):
    return (context.unsqueeze(3) * dout.unsqueeze(2)).sum((0, 1))


def dcontext(dout, Wo):
    return (dout.unsqueeze(2) * Wo).sum(3)


def dweights(dcontext, v):
    return (dcontext.unsqueeze(2) * v.unsqueeze(1)).sum(3)


def dv(dcontext, weights):
    return (weights.unsqueeze(3) * dcontext.unsqueeze(2)).sum(1)


def dtotal(dweights, exps, total):
    return -(dweights * exps).sum(2, keepdim=True) / total / total


def dexps(dweights, dtotal, total):
    return dtotal + dweights / total


def dmasked(dexps, masked):
    return dexps * torch.exp(masked)


def dscores(dmasked, past):
    return dmasked.where(past, torch.zeros_like(dmasked))


def dq(dscores, k):
    return dscores @ (k / k.shape[2] ** 0.5)


def dk(dscores, q):
    return dscores.permute(0, 2, 1) @ (q / q.shape[2] ** 0.5)


def dWq(dq, x):
    return torch.tensordot(x, dq, ([0, 1], [0, 1]))


def dWk(dk, x):
    return torch.tensordot(x, dk, ([0, 1], [0, 1]))


def dWv(dv, x):
    return torch.tensordot(x, dv, ([0, 1], [0, 1]))


def dx(dq, dk, dv, Wq, Wk, Wv):
    return (Wq @ dq.mT + Wk @ dk.mT + Wv @ dv.mT).mT


def dz(dp, p):
    return p * dp - p * (p * dp).sum(-1, keepdim=True)


def dV(dO, P):
    return P.permute(0, 2, 1) @ dO


def dQ(dO, O, P, K, V):
    dS = P * (dO @ V.permute(0, 2, 1) - (dO * O).sum(2, keepdim=True))
    return dS @ (K / K.shape[2] ** 0.5)


def dK(dO, O, P, Q, V):
    dS = P * (dO @ V.permute(0, 2, 1) - (dO * O).sum(2, keepdim=True))
    return dS.permute(0, 2, 1) @ (Q / Q.shape[2] ** 0.5)
