"""Each gradient by itself; sizes are read from the forward values, and batch and heads become one axis."""

import torch


def split_heads(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def merge_heads(y):
    return y.swapaxes(1, 2).reshape(y.shape[0], y.shape[2], -1)


def dWo(dout, merged):
    return torch.tensordot(merged, dout, ([0, 1], [0, 1]))


def dmerged(dout, Wo, merged):
    return (dout.reshape(-1, dout.shape[-1]) @ Wo.T).reshape(merged.shape)


def dcontexts(dmerged, contexts):
    batch, heads, time, size = contexts.shape
    return dmerged.reshape(batch, time, heads, size).swapaxes(1, 2)


def dweights(dcontexts, values):
    return torch.bmm(dcontexts.flatten(0, 1), values.flatten(0, 1).mT).unflatten(0, values.shape[:2])


def dvalues(dcontexts, weights):
    return torch.bmm(weights.flatten(0, 1).mT, dcontexts.flatten(0, 1)).unflatten(0, weights.shape[:2])


def dscores(dweights, weights):
    jacobian = torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
    return (jacobian @ dweights.unsqueeze(-1)).squeeze(-1)


def dqh(dscores, kh, heads, groups):
    keys = torch.repeat_interleave(kh, heads // groups, dim=1)
    return dscores @ (keys * keys.shape[-1] ** -0.5)


def dkeys(dscores, qh):
    return dscores.swapaxes(2, 3) @ (qh * qh.shape[-1] ** -0.5)


def dvh(dvalues, vh):
    return dvalues.view(*vh.shape[:2], -1, *vh.shape[2:]).sum(2)


def dkh(dkeys, kh):
    return dkeys.view(*kh.shape[:2], -1, *kh.shape[2:]).sum(2)


def dq(dqh, q):
    return dqh.swapaxes(1, 2).reshape(q.shape)


def dk(dkh, k):
    return dkh.swapaxes(1, 2).reshape(k.shape)


def dv(dvh, v):
    return dvh.swapaxes(1, 2).reshape(v.shape)


def dWq(dq, x):
    return torch.tensordot(x, dq, ([0, 1], [0, 1]))


def dWk(dk, x):
    return torch.tensordot(x, dk, ([0, 1], [0, 1]))


def dWv(dv, x):
    return torch.tensordot(x, dv, ([0, 1], [0, 1]))


def dx(dq, dk, dv, Wq, Wk, Wv):
    return torch.cat((dq, dk, dv), -1) @ torch.cat((Wq, Wk, Wv), 1).T
