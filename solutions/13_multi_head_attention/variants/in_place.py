"""Into tensors of its own, by index."""

import torch


def split_heads(x, heads):
    batch, time, features = x.shape
    size = features // heads
    result = x.new_empty(batch, heads, time, size)
    for h in range(heads):
        result[:, h] = x[..., h * size : (h + 1) * size]
    return result


def merge_heads(y):
    batch, heads, time, size = y.shape
    result = y.new_empty(batch, time, heads * size)
    for h in range(heads):
        result[..., h * size : (h + 1) * size] = y[:, h]
    return result


def weight(inputs, upstream):
    gradient = torch.zeros(inputs.shape[-1], upstream.shape[-1], dtype=upstream.dtype)
    for a, b in zip(inputs, upstream):
        gradient.addmm_(a.T, b)
    return gradient


def group_sum(upstream, groups):
    members = upstream.shape[1] // groups
    gradient = upstream[:, ::members].clone()
    for member in range(1, members):
        gradient += upstream[:, member::members]
    return gradient


def dWo(dout, merged):
    return weight(merged, dout)


def dmerged(dout, Wo):
    return dout @ Wo.T


def dcontexts(dmerged, heads):
    return split_heads(dmerged, heads)


def dweights(dcontexts, values):
    return dcontexts @ values.mT


def dvalues(dcontexts, weights):
    return weights.mT @ dcontexts


def dscores(dweights, weights):
    gradient = dweights * weights
    gradient -= weights * gradient.sum(-1, keepdim=True)
    return gradient


def dqh(dscores, keys):
    return (dscores @ keys).div_(keys.shape[-1] ** 0.5)


def dkeys(dscores, qh):
    return (dscores.mT @ qh).div_(qh.shape[-1] ** 0.5)


def dvh(dvalues, groups):
    return group_sum(dvalues, groups)


def dkh(dkeys, groups):
    return group_sum(dkeys, groups)


def dq(dqh):
    return merge_heads(dqh)


def dk(dkh):
    return merge_heads(dkh)


def dv(dvh):
    return merge_heads(dvh)


def dWq(dq, x):
    return weight(x, dq)


def dWk(dk, x):
    return weight(x, dk)


def dWv(dv, x):
    return weight(x, dv)


def dx(dq, dk, dv, Wq, Wk, Wv):
    gradient = dq @ Wq.T
    gradient += dk @ Wk.T
    gradient += dv @ Wv.T
    return gradient
