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
    gradient = dout.clone()
    gradient *= scale
    return gradient


def dscale(dout, xhat):
    gradient = torch.zeros_like(xhat[0])
    for i in range(len(dout)):
        gradient.addcmul_(dout[i], xhat[i])
    return gradient


def dshift(dout, shift):
    gradient = torch.zeros_like(shift)
    for row in dout:
        gradient += row
    return gradient


def dvar(dxhat, x, mean, var):
    gradient = x - mean
    gradient *= dxhat
    gradient = gradient.sum(0)
    gradient *= (var + 1e-5).pow_(-1.5)
    gradient /= -2
    return gradient


def dmean(dxhat, var, mean):
    gradient = torch.zeros_like(mean)
    gradient -= dxhat.sum(0)
    gradient /= torch.sqrt(var + 1e-5)
    return gradient


def dx(dxhat, dvar, dmean, x, mean, var):
    gradient = x - mean
    gradient *= dvar
    gradient *= 2
    gradient += dmean
    gradient /= len(x)
    gradient += dxhat / torch.sqrt(var + 1e-5)
    return gradient


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps, self.momentum = eps, momentum
        self.gamma, self.beta = torch.ones(size), torch.zeros(size)
        self.running_mean, self.running_var = torch.zeros(size), torch.ones(size)

    def forward(self, x, training=True):
        out = x.clone()
        if training:
            mean = x.mean(0)
            out -= mean
            var = (out * out).mean(0)
            self.running_mean.mul_(1 - self.momentum).add_(mean, alpha=self.momentum)
            bessel = len(x) / (len(x) - 1)
            self.running_var.mul_(1 - self.momentum).add_(var, alpha=self.momentum * bessel)
        else:
            out -= self.running_mean
            var = self.running_var.clone()
        self.deviation = var.add_(self.eps).sqrt_()
        out /= self.deviation
        self.xhat = out.clone()
        self.from_batch = training
        out *= self.gamma
        out += self.beta
        return out

    def backward(self, dout):
        dgamma, dbeta = (dout * self.xhat).sum(0), dout.sum(0)
        dx = dout.clone()
        if self.from_batch:
            dx *= len(dout)
            dx -= dbeta
            dx -= self.xhat * dgamma
            dx /= len(dout)
        dx *= self.gamma
        dx /= self.deviation
        return dx, dgamma, dbeta
