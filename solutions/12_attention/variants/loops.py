"""Plain loops over examples and positions, as on paper."""

import torch


def zeros(*shape, like):
    return torch.zeros(shape, dtype=like.dtype)


def weight(inputs, upstream):
    gradient = zeros(inputs.shape[2], upstream.shape[2], like=upstream)
    for b in range(inputs.shape[0]):
        for t in range(inputs.shape[1]):
            gradient += torch.outer(inputs[b, t], upstream[b, t])
    return gradient


def dWo(dout, context):
    return weight(context, dout)


def dcontext(dout, Wo):
    gradient = zeros(*dout.shape[:2], Wo.shape[0], like=dout)
    for b in range(dout.shape[0]):
        for t in range(dout.shape[1]):
            gradient[b, t] = Wo @ dout[b, t]
    return gradient


def dweights(dcontext, v):
    batch, time, _ = v.shape
    gradient = zeros(batch, time, time, like=v)
    for t in range(time):
        for s in range(time):
            gradient[:, t, s] = (dcontext[:, t] * v[:, s]).sum(1)
    return gradient


def dv(dcontext, weights):
    gradient = torch.zeros_like(dcontext)
    for t in range(dcontext.shape[1]):
        for s in range(t + 1):
            gradient[:, s] += weights[:, t, s, None] * dcontext[:, t]
    return gradient


def dtotal(dweights, exps, total):
    gradient = torch.zeros_like(total)
    for s in range(exps.shape[2]):
        gradient[:, :, 0] -= dweights[:, :, s] * exps[:, :, s] / total[:, :, 0] ** 2
    return gradient


def dexps(dweights, dtotal, total):
    return torch.stack([(dweights[:, :, s] / total[:, :, 0] + dtotal[:, :, 0]) for s in range(dweights.shape[2])], 2)


def dmasked(dexps, exps):
    return torch.stack([dexps[:, t] * exps[:, t] for t in range(exps.shape[1])], 1)


def dscores(dmasked):
    gradient = torch.zeros_like(dmasked)
    for t in range(dmasked.shape[1]):
        gradient[:, t, : t + 1] = dmasked[:, t, : t + 1]
    return gradient


def dq(dscores, k):
    gradient = torch.zeros_like(k)
    for t in range(k.shape[1]):
        for s in range(k.shape[1]):
            gradient[:, t] += dscores[:, t, s, None] * k[:, s] / k.shape[2] ** 0.5
    return gradient


def dk(dscores, q):
    gradient = torch.zeros_like(q)
    for t in range(q.shape[1]):
        for s in range(q.shape[1]):
            gradient[:, s] += dscores[:, t, s, None] * q[:, t] / q.shape[2] ** 0.5
    return gradient


def dWq(dq, x):
    return weight(x, dq)


def dWk(dk, x):
    return weight(x, dk)


def dWv(dv, x):
    return weight(x, dv)


def dx(dq, dk, dv, Wq, Wk, Wv):
    return dcontext(dq, Wq) + dcontext(dk, Wk) + dcontext(dv, Wv)


def dz(dp, p):
    gradient = torch.zeros_like(p)
    for t in range(p.shape[1]):
        mean = sum(dp[:, t, s] * p[:, t, s] for s in range(p.shape[2]))
        for s in range(p.shape[2]):
            gradient[:, t, s] = p[:, t, s] * (dp[:, t, s] - mean)
    return gradient


def dV(dO, P):
    gradient = torch.zeros_like(dO)
    for t in range(P.shape[1]):
        for s in range(P.shape[2]):
            gradient[:, s] += P[:, t, s, None] * dO[:, t]
    return gradient


def dQ(dO, P, K, V):
    return dq(dz(dweights(dO, V), P), K)


def dK(dO, P, Q, V):
    return dk(dz(dweights(dO, V), P), Q)
