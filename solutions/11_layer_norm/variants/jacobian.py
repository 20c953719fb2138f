"""Each step as the matrix of its derivatives, times the upstream gradient."""

import torch


def dgain(dout, norm):
    rows = dout.flatten(0, 1)
    return torch.diagonal(rows.T @ norm.flatten(0, 1))


def dbias(dout):
    rows = dout.flatten(0, 1)
    return torch.ones_like(rows[:, 0]) @ rows


def dnorm(dout, gain):
    return dout @ torch.diag(gain)


def dinv_std(dnorm, diff):
    return (dnorm.unsqueeze(-2) @ diff.unsqueeze(-1)).squeeze(-1)


def dvar(dinv_std, var, inv_std):
    return torch.diag_embed(-0.5 * inv_std / (var + 1e-5)).squeeze(-1) * dinv_std


def ddiff(dnorm, dvar, inv_std, diff):
    n = diff.shape[-1]
    scaling = torch.eye(n, dtype=diff.dtype) * inv_std.unsqueeze(-1)
    return (dnorm.unsqueeze(-2) @ scaling).squeeze(-2) + dvar @ torch.full((1, n), 2 / n, dtype=diff.dtype) * diff


def dmean(ddiff):
    return ddiff @ torch.full((ddiff.shape[-1], 1), -1.0, dtype=ddiff.dtype)


def dh(ddiff, dmean):
    n = ddiff.shape[-1]
    return ddiff + dmean @ torch.full((1, n), 1 / n, dtype=ddiff.dtype)


def dx(dy, scale, xhat, rstd):
    n = scale.shape[0]
    centring = torch.eye(n, dtype=xhat.dtype) - torch.ones(n, n, dtype=xhat.dtype) / n
    along = xhat.unsqueeze(-1) @ xhat.unsqueeze(-2) / n
    jacobian = rstd.unsqueeze(-1) * (centring - along)
    return (jacobian @ (dy * scale).unsqueeze(-1)).squeeze(-1)
