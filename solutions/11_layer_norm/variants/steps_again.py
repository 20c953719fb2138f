"""`dx` by the chain of the first eight, and other ways to say the short ones."""

import torch


def dgain(dout, diff, inv_std):
    return (dout * diff * inv_std).sum(0).sum(0)


def dbias(dout):
    return dout.mean((0, 1)) * (dout.shape[0] * dout.shape[1])


def dnorm(dout, gain):
    return torch.mul(gain.expand_as(dout), dout)


def dinv_std(dnorm, norm, inv_std):
    return (dnorm * norm).sum(-1, keepdim=True) / inv_std


def dvar(dinv_std, inv_std):
    return -0.5 * inv_std**3 * dinv_std


def ddiff(dnorm, dvar, inv_std, norm):
    return dnorm * inv_std + dvar * (norm + norm) / inv_std / norm.shape[-1]


def dmean(ddiff, mean):
    return (-ddiff).sum_to_size(mean.shape)


def dh(ddiff, dmean):
    return ddiff + (dmean / ddiff.shape[-1]).expand_as(ddiff)


def dx(dy, scale, x, mu, rstd):
    n = x.shape[-1]
    dnorm = dy * scale
    diff = x - mu
    dinv_std = (dnorm * diff).sum(-1, keepdim=True)
    dvar = -0.5 * rstd**3 * dinv_std
    ddiff = dnorm * rstd + dvar * 2 * diff / n
    dmean = -ddiff.sum(-1, keepdim=True)
    return ddiff + dmean / n
