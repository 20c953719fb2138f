"""Right, with einsum: every sum names its axes (n examples, h hidden units)."""

import torch


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    scale = (bngain * bnvar_inv)[0]
    total = torch.einsum("nh->h", dhpreact)
    along = torch.einsum("nh,nh->h", dhpreact, bnraw)
    return torch.einsum("h,nh->nh", scale, dhpreact - total / n - torch.einsum("nh,h->nh", bnraw, along) / (n - 1))


def dh(dh_bn, gamma, h_norm, h_var, N):
    dh_norm = torch.einsum("nh,h->nh", dh_bn, gamma)
    total = torch.einsum("nh->h", dh_norm)
    along = torch.einsum("nh,nh->h", dh_norm, h_norm)
    return (dh_norm - (total + torch.einsum("nh,h->nh", h_norm, along)) / N) * torch.rsqrt(h_var + 1e-5)


def dxhat(dout, scale):
    return torch.einsum("nh,h->nh", dout, scale)


def dscale(dout, xhat):
    return torch.einsum("nh,nh->h", dout, xhat)


def dshift(dout):
    return torch.einsum("nh->h", dout)


def dvar(dxhat, x, mean, var):
    return -0.5 * torch.einsum("nh,nh,h->h", dxhat, x - mean, (var + 1e-5) ** -1.5)


def dmean(dxhat, var):
    return -torch.einsum("nh,h->h", dxhat, torch.rsqrt(var + 1e-5))


def dx(dxhat, dvar, dmean, x, mean, var):
    direct = torch.einsum("nh,h->nh", dxhat, torch.rsqrt(var + 1e-5))
    return direct + (2 * torch.einsum("h,nh->nh", dvar, x - mean) + dmean) / x.size(0)


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps, self.momentum = eps, momentum
        self.gamma, self.beta = torch.ones(size), torch.zeros(size)
        self.running_mean, self.running_var = torch.zeros(size), torch.ones(size)
        self.kept = None

    def forward(self, x, training=True):
        n = x.shape[0]
        mean, var = self.running_mean, self.running_var
        if training:
            mean = torch.einsum("nh->h", x) / n
            squares = torch.einsum("nh,nh->h", x - mean, x - mean)
            var = squares / n
            self.running_mean = self.running_mean + self.momentum * (mean - self.running_mean)
            self.running_var = self.running_var + self.momentum * (squares / (n - 1) - self.running_var)
        inverse = torch.rsqrt(var + self.eps)
        xhat = torch.einsum("nh,h->nh", x - mean, inverse)
        self.kept = (xhat, inverse, training)
        return torch.einsum("h,nh->nh", self.gamma, xhat) + self.beta

    def backward(self, dout):
        xhat, inverse, training = self.kept
        dgamma, dbeta = torch.einsum("nh,nh->h", dout, xhat), torch.einsum("nh->h", dout)
        inner = dout - (dbeta + torch.einsum("nh,h->nh", xhat, dgamma)) / len(dout) if training else dout
        return torch.einsum("h,nh->nh", self.gamma * inverse, inner), dgamma, dbeta
