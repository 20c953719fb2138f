"""Every sum as an einsum."""

import torch


def dgain(dout, norm):
    return torch.einsum("btf,btf->f", dout, norm)


def dbias(dout):
    return torch.einsum("btf->f", dout)


def dnorm(dout, gain):
    return torch.einsum("btf,f->btf", dout, gain)


def dinv_std(dnorm, diff):
    return torch.einsum("btf,btf->bt", dnorm, diff).unsqueeze(-1)


def dvar(dinv_std, inv_std):
    return torch.einsum("bto,bto,bto,bto->bto", dinv_std, inv_std, inv_std, inv_std) / -2


def ddiff(dnorm, dvar, inv_std, diff):
    n = diff.shape[-1]
    return torch.einsum("btf,bto->btf", dnorm, inv_std) + torch.einsum("btf,bto->btf", diff, dvar) * (2 / n)


def dmean(ddiff):
    return torch.einsum("btf->bt", -ddiff)[..., None]


def dh(ddiff, dmean):
    ones = torch.ones_like(ddiff[0, 0]) / ddiff.shape[-1]
    return ddiff + torch.einsum("bto,f->btf", dmean, ones)


def dx(dy, scale, xhat, rstd):
    n = scale.shape[0]
    g = torch.einsum("btf,f->btf", dy, scale)
    through_variance = torch.einsum("btf,btg,btg->btf", xhat, xhat, g) / n
    through_mean = torch.einsum("btg->bt", g)[..., None] / n
    return torch.einsum("btf,bto->btf", g - through_mean - through_variance, rstd)
