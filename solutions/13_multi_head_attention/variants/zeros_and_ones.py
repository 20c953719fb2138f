"""Steps that move or copy numbers as matrices of zeros and ones: the step backward is the product with the transpose.

Query, key and value are one product with the three weight matrices side by side, so `dx` is one product as well.
"""

import torch


def places(features, heads, dtype):
    """(heads, size, features): 1 where feature f of a head is number h * size + f of the whole."""
    return torch.eye(features, dtype=dtype).view(heads, features // heads, features)


def copies(heads, groups, dtype):
    """(heads, groups): 1 where the head reads the group."""
    return torch.eye(groups, dtype=dtype).repeat_interleave(heads // groups, 0)


def split_heads(x, heads):
    return torch.einsum("hif,btf->bhti", places(x.shape[2], heads, x.dtype), x)


def merge_heads(y):
    heads, size = y.shape[1], y.shape[3]
    return torch.einsum("hif,bhti->btf", places(heads * size, heads, y.dtype), y)


def softmax_jacobian(weights):
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


def dWo(dout, merged):
    return (merged.mT @ dout).sum(0)


def dmerged(dout, Wo):
    return torch.tensordot(dout, Wo, ([2], [1]))


def dcontexts(dmerged, heads):
    return split_heads(dmerged, heads)


def dweights(dcontexts, values):
    return dcontexts @ values.mT


def dvalues(dcontexts, weights):
    return weights.mT @ dcontexts


def dscores(dweights, weights):
    return (softmax_jacobian(weights) @ dweights[..., None])[..., 0]


def dqh(dscores, keys):
    return dscores @ keys / keys.shape[3] ** 0.5


def dkeys(dscores, qh):
    return dscores.mT @ qh / qh.shape[3] ** 0.5


def dvh(dvalues, groups):
    return torch.einsum("hg,bhti->bgti", copies(dvalues.shape[1], groups, dvalues.dtype), dvalues)


def dkh(dkeys, groups):
    return torch.einsum("hg,bhti->bgti", copies(dkeys.shape[1], groups, dkeys.dtype), dkeys)


def dq(dqh):
    return merge_heads(dqh)


def dk(dkh):
    return merge_heads(dkh)


def dv(dvh):
    return merge_heads(dvh)


def dWq(dq, x):
    return (x.mT @ dq).sum(0)


def dWk(dk, x):
    return (x.mT @ dk).sum(0)


def dWv(dv, x):
    return (x.mT @ dv).sum(0)


def dx(dq, dk, dv, Wq, Wk, Wv):
    return torch.cat((dq, dk, dv), 2) @ torch.cat((Wq, Wk, Wv), 1).T
