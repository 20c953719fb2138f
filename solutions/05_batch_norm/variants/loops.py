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
