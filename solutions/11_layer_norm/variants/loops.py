"""Loops over positions and features, as one would write it in C."""

import torch


def dgain(dout, norm):
    total = torch.zeros_like(norm[0, 0])
    for i in range(dout.shape[0]):
        for s in range(dout.shape[1]):
            total = total + dout[i, s] * norm[i, s]
    return total


def dbias(dout):
    total = torch.zeros_like(dout[0, 0])
    for example in dout:
        for position in example:
            total = total + position
    return total


def dnorm(dout, gain):
    out = torch.empty_like(dout)
    for f in range(gain.shape[0]):
        out[..., f] = dout[..., f] * gain[f]
    return out


def dinv_std(dnorm, diff):
    out = torch.zeros_like(diff[..., :1])
    for f in range(diff.shape[-1]):
        out[..., 0] += dnorm[..., f] * diff[..., f]
    return out


def dvar(dinv_std, var):
    out = torch.empty_like(var)
    for i in range(var.shape[0]):
        for s in range(var.shape[1]):
            out[i, s] = -dinv_std[i, s] / (2 * (var[i, s] + 1e-5) * (var[i, s] + 1e-5).sqrt())
    return out


def ddiff(dnorm, dvar, inv_std, diff):
    n = diff.shape[-1]
    out = torch.empty_like(diff)
    for f in range(n):
        out[..., f] = dnorm[..., f] * inv_std[..., 0] + 2 / n * diff[..., f] * dvar[..., 0]
    return out


def dmean(ddiff):
    out = torch.zeros_like(ddiff[..., :1])
    for f in range(ddiff.shape[-1]):
        out[..., 0] -= ddiff[..., f]
    return out


def dh(ddiff, dmean):
    n = ddiff.shape[-1]
    out = torch.empty_like(ddiff)
    for f in range(n):
        out[..., f] = ddiff[..., f] + dmean[..., 0] / n
    return out


def dx(dy, scale, xhat, rstd):
    n = scale.shape[0]
    out = torch.empty_like(xhat)
    for i in range(xhat.shape[0]):
        for s in range(xhat.shape[1]):
            g = dy[i, s] * scale
            first, second = 0.0, 0.0
            for f in range(n):
                first = first + g[f]
                second = second + g[f] * xhat[i, s, f]
            out[i, s] = rstd[i, s] * (g - first / n - xhat[i, s] * second / n)
    return out
