"""Right, with loops: one column, and in it one example, at a time."""

import math

import torch


def dhprebn(dhpreact, bngain, hprebn, n):
    gradient = torch.zeros_like(hprebn)
    for k in range(hprebn.shape[1]):
        x = [float(value) for value in hprebn[:, k]]
        upstream = [float(value) * float(bngain[0, k]) for value in dhpreact[:, k]]
        mean = sum(x) / n
        variance = sum((value - mean) ** 2 for value in x) / (n - 1)
        inverse = 1 / math.sqrt(variance + 1e-5)
        z = [(value - mean) * inverse for value in x]
        total = sum(upstream)
        along = sum(u * value for u, value in zip(upstream, z, strict=True))
        for i in range(n):
            gradient[i, k] = inverse * (upstream[i] - total / n - z[i] * along / (n - 1))
    return gradient


def dh(dh_bn, gamma, h_norm, h_var, N):
    columns = []
    for k in range(len(gamma)):
        upstream = dh_bn[:, k] * gamma[k]
        z = h_norm[:, k]
        columns.append((upstream - upstream.mean() - z * torch.dot(upstream, z) / N) / torch.sqrt(h_var[k] + 1e-5))
    return torch.stack(columns, dim=1)


def dxhat(dout, scale):
    return torch.stack([row * scale for row in dout])


def dscale(dout, xhat):
    return torch.stack([torch.dot(dout[:, k], xhat[:, k]) for k in range(dout.shape[1])])


def dshift(dout):
    return torch.stack([dout[:, k].sum() for k in range(dout.shape[1])])


def dvar(dxhat, x, mean, var):
    gradient = torch.zeros_like(var)
    for row, value in zip(dxhat, x, strict=True):
        gradient += row * (value - mean) / ((var + 1e-5) * torch.sqrt(var + 1e-5)) / -2
    return gradient


def dmean(dxhat, var):
    gradient = torch.zeros_like(var)
    for row in dxhat:
        gradient -= row / torch.sqrt(var + 1e-5)
    return gradient


def dx(dxhat, dvar, dmean, x, mean, var):
    gradient = torch.zeros_like(x)
    n = len(x)
    for i in range(n):
        gradient[i] += dxhat[i] / torch.sqrt(var + 1e-5)
        gradient[i] += dmean / n
        gradient[i] += dvar * (x[i] - mean) * 2 / n
    return gradient


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.size, self.eps, self.momentum = size, eps, momentum
        self.gamma, self.beta = torch.ones(size), torch.zeros(size)
        self.running_mean, self.running_var = torch.zeros(size), torch.ones(size)

    def forward(self, x, training=True):
        out = torch.zeros_like(x)
        self.xhat, self.inverses, self.training = torch.zeros_like(x), [], training
        n = len(x)
        for k in range(self.size):
            column = x[:, k].tolist()
            if training:
                mean = sum(column) / n
                squares = sum((value - mean) ** 2 for value in column)
                var = squares / n
                self.running_mean[k] = (1 - self.momentum) * self.running_mean[k] + self.momentum * mean
                self.running_var[k] = (1 - self.momentum) * self.running_var[k] + self.momentum * squares / (n - 1)
            else:
                mean, var = float(self.running_mean[k]), float(self.running_var[k])
            inverse = 1 / math.sqrt(var + self.eps)
            self.inverses.append(inverse)
            for i in range(n):
                self.xhat[i, k] = (column[i] - mean) * inverse
                out[i, k] = self.gamma[k] * self.xhat[i, k] + self.beta[k]
        return out

    def backward(self, dout):
        n = len(dout)
        dx, dgamma, dbeta = torch.zeros_like(dout), torch.zeros(self.size), torch.zeros(self.size)
        for k in range(self.size):
            for i in range(n):
                dgamma[k] += dout[i, k] * self.xhat[i, k]
                dbeta[k] += dout[i, k]
            for i in range(n):
                inner = dout[i, k]
                if self.training:
                    inner = inner - dbeta[k] / n - self.xhat[i, k] * dgamma[k] / n
                dx[i, k] = self.gamma[k] * self.inverses[k] * inner
        return dx, dgamma, dbeta
