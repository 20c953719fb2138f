"""Groups as an axis of their own: the members of a group are summed by the product itself."""

import torch
from torch import einsum


def split_heads(x, heads):
    return torch.movedim(x.unflatten(-1, (heads, x.shape[-1] // heads)), 2, 1)


def merge_heads(y):
    return torch.movedim(y, 1, 2).flatten(-2)


def dWo(dout, merged):
    return einsum("btd,btc->dc", merged, dout)


def dmerged(dout, Wo):
    return einsum("btc,dc->btd", dout, Wo)


def dcontexts(dmerged, heads):
    return split_heads(dmerged, heads)


def dweights(dcontexts, values):
    return einsum("bhtd,bhsd->bhts", dcontexts, values)


def dvalues(dcontexts, weights):
    return einsum("bhts,bhtd->bhsd", weights, dcontexts)


def dscores(dweights, weights):
    inner = einsum("bhts,bhts->bht", dweights, weights)
    return weights * dweights - weights * inner[..., None]


def dqh(dscores, keys):
    return einsum("bhts,bhsd->bhtd", dscores, keys) * keys.shape[-1] ** -0.5


def dkeys(dscores, qh):
    return einsum("bhts,bhtd->bhsd", dscores, qh) * qh.shape[-1] ** -0.5


def dvh(dvalues, groups):
    grouped = dvalues.unflatten(1, (groups, dvalues.shape[1] // groups))
    return einsum("bgmtd->bgtd", grouped)


def dkh(dkeys, groups):
    grouped = dkeys.unflatten(1, (groups, dkeys.shape[1] // groups))
    return einsum("bgmtd->bgtd", grouped)


def dq(dqh):
    return merge_heads(dqh)


def dk(dkh):
    return merge_heads(dkh)


def dv(dvh):
    return merge_heads(dvh)


def dWq(dq, x):
    return einsum("btc,btd->cd", x, dq)


def dWk(dk, x):
    return einsum("btc,btd->cd", x, dk)


def dWv(dv, x):
    return einsum("btc,btd->cd", x, dv)


def dx(dq, dk, dv, Wq, Wk, Wv):
    return sum(einsum("btd,cd->btc", d, W) for d, W in ((dq, Wq), (dk, Wk), (dv, Wv)))
