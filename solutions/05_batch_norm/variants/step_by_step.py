"""Right, by small steps: back through every intermediate in turn, the one expression left unwritten."""

import torch


def dhprebn(dhpreact, bngain, bndiff, bnvar, bnvar_inv, n):
    dbnraw = bngain * dhpreact
    dbndiff = bnvar_inv * dbnraw
    dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
    dbnvar = -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
    dbndiff2 = torch.ones_like(bndiff) / (n - 1) * dbnvar
    dbndiff += 2 * bndiff * dbndiff2
    dbnmeani = -dbndiff.sum(0, keepdim=True)
    return dbndiff + torch.ones_like(bndiff) / n * dbnmeani


def dh(dh_bn, gamma, h, h_mean, h_var, N):
    dxhat = dh_bn * gamma
    dvar = (dxhat * (h - h_mean) * -0.5 * (h_var + 1e-5) ** -1.5).sum(0)
    dmean = -dxhat.sum(0) / torch.sqrt(h_var + 1e-5)
    return dxhat / torch.sqrt(h_var + 1e-5) + dvar * 2 * (h - h_mean) / N + dmean / N


def dxhat(dout, scale):
    return dout * scale


def dscale(dout, xhat):
    return (xhat * dout).sum(0)


def dshift(dout, shift):
    return dout.sum(0).view_as(shift)


def dvar(dxhat, x, mean, var):
    inverse = (var + 1e-5) ** -0.5
    dinverse = ((x - mean) * dxhat).sum(0)
    return dinverse * -0.5 * inverse**3


def dmean(dxhat, var):
    ddifference = dxhat * (var + 1e-5) ** -0.5
    return -ddifference.sum(0)


def dx(dxhat, dvar, dmean, x, mean, var):
    ddifference = dxhat * (var + 1e-5) ** -0.5
    gradient = ddifference.clone()
    gradient += torch.ones_like(x) / len(x) * dmean
    gradient += torch.ones_like(x) / len(x) * dvar * 2 * (x - mean)
    return gradient


class BatchNorm1d(torch.nn.Module):
    def __init__(self, size, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.gamma, self.beta = torch.nn.Parameter(torch.ones(size)), torch.nn.Parameter(torch.zeros(size))
        self.register_buffer("running_mean", torch.zeros(size))
        self.register_buffer("running_var", torch.ones(size))

    def forward(self, x, training=True):
        self.train(training)
        self.x = x
        if training:
            self.mean, self.var = x.mean(0), x.var(0, unbiased=False)
            self.running_mean += self.momentum * (self.mean - self.running_mean)
            self.running_var += self.momentum * (x.var(0) - self.running_var)
        else:
            self.mean, self.var = self.running_mean.clone(), self.running_var.clone()
        self.xhat = (x - self.mean) / torch.sqrt(self.var + self.eps)
        return self.gamma * self.xhat + self.beta

    def backward(self, dout):
        n = self.x.shape[0]
        dgamma = (dout * self.xhat).sum(0)
        dbeta = dout.sum(0)
        dxhat = dout * self.gamma
        dx = dxhat / torch.sqrt(self.var + self.eps)
        if self.training:
            dvar = (dxhat * (self.x - self.mean) * -0.5 * (self.var + self.eps) ** -1.5).sum(0)
            dmean = (-dxhat / torch.sqrt(self.var + self.eps)).sum(0)
            dx = dx + dvar * 2 * (self.x - self.mean) / n + dmean / n
        return dx, dgamma, dbeta
