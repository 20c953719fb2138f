"""In place, on tensors of its own."""

import torch


def dgain(dout, norm):
    product = dout.clone()
    product *= norm
    return product.flatten(0, 1).sum(0)


def dbias(dout):
    total = torch.zeros_like(dout[0, 0])
    total += dout.flatten(0, 1).sum(0)
    return total


def dnorm(dout, gain):
    return dout.clone().mul_(gain)


def dinv_std(dnorm, diff):
    return dnorm.clone().mul_(diff).sum(-1, keepdim=True)


def dvar(dinv_std, var):
    d = var.clone()
    d += 1e-5
    d.pow_(-1.5).mul_(dinv_std).div_(-2)
    return d


def ddiff(dnorm, dvar, inv_std, diff):
    d = diff.clone()
    d *= dvar
    d *= 2
    d /= diff.shape[-1]
    d.addcmul_(dnorm, inv_std)
    return d


def dmean(ddiff):
    return ddiff.sum(-1, keepdim=True).neg_()


def dh(ddiff, dmean):
    d = ddiff.clone()
    d += dmean / ddiff.shape[-1]
    return d


def dx(dy, scale, xhat, rstd):
    d = dy.clone()
    d *= scale
    projected = (d * xhat).mean(-1, keepdim=True)
    d -= d.mean(-1, keepdim=True)
    d -= xhat * projected
    d *= rstd
    return d
