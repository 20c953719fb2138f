"""Right, by whole Jacobians: one (n, n) matrix for every hidden unit, multiplied with its column."""

import torch


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    z = bnraw.T
    jacobian = torch.eye(n, dtype=z.dtype) - torch.full((n, n), 1 / n, dtype=z.dtype)
    jacobian = jacobian - z.unsqueeze(2) @ z.unsqueeze(1) / (n - 1)
    jacobian = jacobian * (bngain * bnvar_inv).view(-1, 1, 1)
    return torch.bmm(jacobian, dhpreact.T.unsqueeze(2)).squeeze(2).T


def dh(dh_bn, gamma, h_norm, h_var, N):
    jacobian = torch.eye(N, dtype=h_norm.dtype)[None] - (1 + torch.einsum("ik,jk->kij", h_norm, h_norm)) / N
    return torch.einsum("k,kij,jk->ik", gamma / torch.sqrt(h_var + 1e-5), jacobian, dh_bn)


def dxhat(dout, scale):
    return dout @ torch.diag(scale)


def dscale(dout, xhat):
    return torch.diagonal(dout.T @ xhat)


def dshift(dout):
    return torch.ones(1, len(dout), dtype=dout.dtype).matmul(dout).squeeze(0)


def dvar(dxhat, x, mean, var):
    jacobian = -0.5 * (x - mean) * (var + 1e-5) ** -1.5  # how each xhat moves with its column's variance
    return torch.diagonal(jacobian.T @ dxhat)


def dmean(dxhat, x, var):
    jacobian = -torch.ones_like(x) / torch.sqrt(var + 1e-5)
    return (jacobian * dxhat).sum(0)


def dx(dxhat, dvar, dmean, x, mean, var):
    n = x.shape[0]
    columns = []
    for k in range(x.shape[1]):
        direct = torch.eye(n, dtype=x.dtype) / torch.sqrt(var[k] + 1e-5)
        by_mean = torch.full((n,), 1 / n, dtype=x.dtype)
        by_variance = 2 * (x[:, k] - mean[k]) / n
        columns.append(direct @ dxhat[:, k] + by_mean * dmean[k] + by_variance * dvar[k])
    return torch.stack(columns, 1)


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps, self.momentum = eps, momentum
        self.gamma, self.beta = torch.ones(size), torch.zeros(size)
        self.running_mean, self.running_var = torch.zeros(size), torch.ones(size)

    def forward(self, x, training=True):
        n = len(x)
        if training:
            mean, var = x.mean(0), x.var(0, correction=0)
            self.running_mean = self.running_mean * (1 - self.momentum) + x.mean(0) * self.momentum
            self.running_var = self.running_var * (1 - self.momentum) + x.var(0, correction=1) * self.momentum
        else:
            mean, var = self.running_mean, self.running_var
        deviation = torch.sqrt(var + self.eps)
        self.xhat = (x - mean) / deviation
        identity = torch.eye(n, dtype=x.dtype)
        jacobian = identity.expand(x.shape[1], n, n)
        if training:
            jacobian = jacobian - (1 + torch.einsum("ik,jk->kij", self.xhat, self.xhat)) / n
        self.jacobian = jacobian * (self.gamma / deviation).view(-1, 1, 1)
        return self.gamma * self.xhat + self.beta

    def backward(self, dout):
        dx = torch.einsum("kij,jk->ik", self.jacobian, dout)
        return dx, torch.diagonal(dout.T @ self.xhat), dout.sum(0)
