"""Right, with nothing asked for but the input: mean and variance computed afresh, by torch's own functions."""

import torch


def dhprebn(dhpreact, bngain, hprebn):
    variance, mean = torch.var_mean(hprebn, dim=0, keepdim=True)
    centred = hprebn - mean
    inverse = torch.rsqrt(variance + 1e-5)
    slope = (centred * dhpreact).sum(dim=0, keepdim=True) * inverse.square() / (len(hprebn) - 1)
    return bngain * inverse * (dhpreact - dhpreact.mean(dim=0, keepdim=True) - slope * centred)


def dh(dh_bn, gamma, h):
    deviation = torch.sqrt(torch.var(h, dim=0, correction=0) + 1e-5)
    z = (h - torch.mean(h, dim=0)) / deviation
    g = gamma * dh_bn
    return (g - g.mean(0) - z * (g * z).mean(0)) / deviation


def dxhat(dout, scale):
    return torch.mul(dout, scale)


def dscale(dout, x):
    variance, mean = torch.var_mean(x, 0, correction=0)
    return torch.sum(dout * (x - mean) * torch.rsqrt(variance + 1e-5), 0)


def dshift(dout):
    return torch.ones(len(dout), dtype=dout.dtype) @ dout


def dvar(dout, scale, x):
    variance, mean = torch.var_mean(x, 0, correction=0)
    return -torch.sum(dout * scale * (x - mean), 0) / (2 * (variance + 1e-5) ** 1.5)


def dmean(dout, scale, x):
    return -torch.sum(dout * scale, 0) * torch.rsqrt(torch.var(x, 0, correction=0) + 1e-5)


def dx(dout, scale, x):
    variance, mean = torch.var_mean(x, 0, correction=0)
    deviation = torch.sqrt(variance + 1e-5)
    z = (x - mean) / deviation
    g = dout * scale
    return (g - g.mean(0) - z * (g * z).mean(0)) / deviation


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps, self.momentum = eps, momentum
        self.gamma, self.beta = torch.ones(size), torch.zeros(size)
        self.running_mean, self.running_var = torch.zeros(size), torch.ones(size)

    def forward(self, x, training=True):
        self.x, self.training = x, training
        return torch.nn.functional.batch_norm(
            x, self.running_mean, self.running_var, self.gamma, self.beta, training, self.momentum, self.eps
        )

    def backward(self, dout):
        variance, mean = torch.var_mean(self.x, 0, correction=0)
        if not self.training:
            variance, mean = self.running_var, self.running_mean
        deviation = torch.sqrt(variance + self.eps)
        z = (self.x - mean) / deviation
        g = dout * self.gamma
        if self.training:
            g = g - g.mean(0) - z * (g * z).mean(0)
        return [g / deviation, (dout * z).sum(0), dout.sum(0)]
