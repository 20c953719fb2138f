"""A loop over the heads, each as in lesson 12."""

import torch


def split_heads(x, heads):
    size = x.shape[2] // heads
    return torch.stack([x[:, :, h * size : (h + 1) * size] for h in range(heads)], 1)


def merge_heads(y):
    return torch.cat([y[:, h] for h in range(y.shape[1])], 2)


def each_head(function, *tensors):
    return torch.stack([function(*parts) for parts in zip(*(tensor.unbind(1) for tensor in tensors))], 1)


def softmax_backward(upstream, rows):
    return rows * (upstream - (upstream * rows).sum(2, keepdim=True))


def weight(inputs, upstream):
    return sum(a.T @ b for a, b in zip(inputs, upstream))


def added(upstream, groups):
    members = upstream.shape[1] // groups
    gradient = torch.zeros_like(upstream[:, :groups])
    for h in range(upstream.shape[1]):
        gradient[:, h // members] += upstream[:, h]
    return gradient


def dWo(dout, merged):
    return weight(merged, dout)


def dmerged(dout, Wo):
    return dout @ Wo.T


def dcontexts(dmerged, heads):
    return split_heads(dmerged, heads)


def dweights(dcontexts, values):
    return each_head(lambda d, v: d @ v.transpose(1, 2), dcontexts, values)


def dvalues(dcontexts, weights):
    return each_head(lambda d, w: w.transpose(1, 2) @ d, dcontexts, weights)


def dscores(dweights, weights):
    return each_head(softmax_backward, dweights, weights)


def dqh(dscores, keys):
    return each_head(lambda d, k: d @ k / k.shape[2] ** 0.5, dscores, keys)


def dkeys(dscores, qh):
    return each_head(lambda d, q: d.transpose(1, 2) @ q / q.shape[2] ** 0.5, dscores, qh)


def dvh(dvalues, groups):
    return added(dvalues, groups)


def dkh(dkeys, groups):
    return added(dkeys, groups)


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
    return dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
