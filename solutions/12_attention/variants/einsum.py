"""Every product as an einsum, so that no axis has to be transposed."""

from torch import einsum


def dWo(dout, context):
    return einsum("bth,btc->hc", context, dout)


def dcontext(dout, Wo):
    return einsum("btc,hc->bth", dout, Wo)


def dweights(dcontext, v):
    return einsum("bth,bsh->bts", dcontext, v)


def dv(dcontext, weights):
    return einsum("bts,bth->bsh", weights, dcontext)


def dtotal(dweights, weights, total):
    return -einsum("bts,bts->bt", dweights, weights).unsqueeze(-1) / total


def dexps(dweights, dtotal, total):
    return (dweights + dtotal * total) / total


def dmasked(dexps, masked):
    return dexps * masked.exp()


def dscores(dmasked, past):
    return dmasked * past


def dq(dscores, k):
    return einsum("bts,bsh->bth", dscores, k) * k.shape[-1] ** -0.5


def dk(dscores, q):
    return einsum("bts,bth->bsh", dscores, q) * q.shape[-1] ** -0.5


def dWq(dq, x):
    return einsum("btc,bth->ch", x, dq)


def dWk(dk, x):
    return einsum("btc,bth->ch", x, dk)


def dWv(dv, x):
    return einsum("btc,bth->ch", x, dv)


def dx(dq, dk, dv, Wq, Wk, Wv):
    return sum(einsum("bth,ch->btc", d, W) for d, W in ((dq, Wq), (dk, Wk), (dv, Wv)))


def dz(dp, p):
    return p * dp - p * einsum("bts,bts->bt", p, dp)[..., None]


def dV(dO, P):
    return einsum("bts,bth->bsh", P, dO)


def dS(dO, P, V):
    dP = einsum("bth,bsh->bts", dO, V)
    return P * dP - P * einsum("bts,bts->bt", P, dP)[..., None]


def dQ(dO, P, K, V):
    return einsum("bts,bsh->bth", dS(dO, P, V), K) * K.shape[-1] ** -0.5


def dK(dO, P, Q, V):
    return einsum("bts,bth->bsh", dS(dO, P, V), Q) * Q.shape[-1] ** -0.5
