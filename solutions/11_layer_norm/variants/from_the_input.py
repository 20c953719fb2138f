"""Works everything out again from what went in; the forward pass's intermediate values are hardly used."""

import torch


def dgain(dout, h):
    centred = h - h.mean(-1, keepdim=True)
    return (dout * centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + 1e-5)).sum(1).sum(0)


def dbias(dout, bias):
    return dout.reshape(-1, bias.numel()).sum(0)


def dnorm(dout, gain):
    return gain[None, None, :] * dout


def dinv_std(dnorm, h):
    return ((h - h.mean(-1, keepdim=True)) * dnorm).sum(dim=2, keepdim=True)


def dvar(dinv_std, h):
    std = torch.sqrt(h.var(-1, keepdim=True, correction=0) + 1e-5)
    return -dinv_std / (2 * std**3)


def ddiff(dnorm, dvar, h):
    n = h.shape[-1]
    variance, mean = torch.var_mean(h, -1, correction=0, keepdim=True)
    return dnorm / (variance + 1e-5).sqrt() + 2 * (h - mean) * dvar / n


def dmean(ddiff, h):
    return -(ddiff.mean(-1, keepdim=True) * h.shape[-1])


def dh(ddiff, dmean, h):
    return (h.shape[-1] * ddiff + dmean) / h.shape[-1]


def dx(dy, scale, x):
    n = x.shape[-1]
    g = dy * scale
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred * centred).sum(-1, keepdim=True) / n + 1e-5
    along = (g * centred).sum(-1, keepdim=True)
    return (n * g - g.sum(-1, keepdim=True) - centred * along / variance) / (n * variance.sqrt())
