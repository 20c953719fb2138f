"""Right, in another order: first the upstream gradient is cleared of what follows the spread, then it is centred."""

import torch


def dhprebn(dhpreact, bngain, bndiff, bnvar, n):
    dbnraw = dhpreact * bngain
    along = torch.sum(dbnraw * bndiff, 0, True) / ((n - 1) * (bnvar + 1e-5))
    rest = dbnraw - along * bndiff
    return (rest - rest.mean(0, True)) / torch.sqrt(bnvar + 1e-5)


def dh(dh_bn, gamma, h, h_mean, h_var):
    dh_norm = dh_bn * gamma
    centred = h - h_mean
    rest = dh_norm - centred * (dh_norm * centred).mean(0) / (h_var + 1e-5)
    return (rest - rest.mean(0)) / torch.sqrt(h_var + 1e-5)


def dxhat(dout, scale):
    return scale * dout


def dscale(dout, x, mean, var):
    return (dout * (x - mean)).sum(0) / torch.sqrt(var + 1e-5)


def dshift(dout):
    return torch.sum(dout, 0)


def dvar(dxhat, xhat, var):
    return -(dxhat * xhat).sum(0) / (2 * (var + 1e-5))


def dmean(dxhat, dvar, x, mean, var):
    # the variance contains the mean as well: this second term is zero but for rounding
    return (-dxhat / torch.sqrt(var + 1e-5)).sum(0) + dvar * (-2 * (x - mean)).mean(0)


def dx(dxhat, x, mean, var):
    centred = x - mean
    rest = dxhat - centred * (dxhat * centred).mean(0) / (var + 1e-5)
    return (rest - rest.mean(0)) / torch.sqrt(var + 1e-5)


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps = eps
        self.momentum = momentum
        self.gamma = torch.ones(size)
        self.beta = torch.zeros(size)
        self.running_mean = torch.zeros(size, dtype=torch.float32)
        self.running_var = torch.ones(size, dtype=torch.float32)

    def forward(self, x, training=True):
        if training:
            mean = x.mean(0)
            self.centred = x - mean
            self.var = (self.centred**2).mean(0)
            self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * mean
            unbiased = (self.centred**2).sum(0) / (len(x) - 1)
            self.running_var = (1 - self.momentum) * self.running_var + self.momentum * unbiased
        else:
            self.centred = x - self.running_mean
            self.var = self.running_var
        self.was_training = training
        return self.centred / torch.sqrt(self.var + self.eps) * self.gamma + self.beta

    def backward(self, dout):
        deviation = torch.sqrt(self.var + self.eps)
        rest = dout * self.gamma
        if self.was_training:
            rest = rest - self.centred * (rest * self.centred).mean(0) / (self.var + self.eps)
            rest = rest - rest.mean(0)
        return rest / deviation, (dout * self.centred).sum(0) / deviation, dout.sum(0)
