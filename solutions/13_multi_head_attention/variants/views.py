"""With view, permute and contiguous, as in the lecture."""

import torch


def split_heads(x, heads):
    batch, time, features = x.shape
    return x.contiguous().view(batch, time, heads, features // heads).permute(0, 2, 1, 3)


def merge_heads(y):
    batch, heads, time, size = y.shape
    return y.permute(0, 2, 1, 3).contiguous().view(batch, time, heads * size)


def weight(inputs, upstream):
    return inputs.reshape(-1, inputs.shape[-1]).T @ upstream.reshape(-1, upstream.shape[-1])


def softmax_backward(upstream, rows):
    product = upstream * rows
    return product - rows * product.sum(-1, keepdim=True)


def members_added(upstream, groups):
    batch, heads, time, size = upstream.shape
    return upstream.reshape(batch, groups, heads // groups, time, size).sum(dim=2)


def dWo(dout, merged):
    return weight(merged, dout)


def dmerged(dout, Wo):
    return dout.matmul(Wo.t())


def dcontexts(dmerged, heads):
    return split_heads(dmerged, heads)


def dweights(dcontexts, values):
    return dcontexts.matmul(values.permute(0, 1, 3, 2))


def dvalues(dcontexts, weights):
    return weights.permute(0, 1, 3, 2).matmul(dcontexts)


def dscores(dweights, weights):
    return softmax_backward(dweights, weights)


def dqh(dscores, keys):
    return dscores.matmul(keys) / torch.sqrt(torch.tensor(float(keys.shape[-1])))


def dkeys(dscores, qh):
    return dscores.permute(0, 1, 3, 2).matmul(qh) / torch.sqrt(torch.tensor(float(qh.shape[-1])))


def dvh(dvalues, groups):
    return members_added(dvalues, groups)


def dkh(dkeys, groups):
    return members_added(dkeys, groups)


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
    return dq @ Wq.t() + dk @ Wk.t() + dv @ Wv.t()
