"""Right, with loops: one example and one number at a time."""

import math

import torch


def dlogits(logits, Y, N):
    gradient = torch.zeros_like(logits)
    for i in range(N):
        row = [float(value) for value in logits[i]]
        largest = max(row)
        exponentials = [math.exp(value - largest) for value in row]
        for j, exponential in enumerate(exponentials):
            target = 1.0 if j == int(Y[i]) else 0.0
            gradient[i, j] = (exponential / sum(exponentials) - target) / N
    return gradient


def dh_bn(dlogits, W2):
    gradient = torch.zeros(dlogits.shape[0], W2.shape[0])
    for i in range(dlogits.shape[0]):
        for k in range(W2.shape[0]):
            for j in range(W2.shape[1]):
                gradient[i, k] += dlogits[i, j] * W2[k, j]
    return gradient


def dW2(dlogits, h_bn, W2):
    gradient = torch.zeros_like(W2)
    for values, upstream in zip(h_bn, dlogits, strict=True):
        gradient += torch.outer(values, upstream)
    return gradient


def db2(dlogits, b2):
    gradient = torch.zeros_like(b2)
    for row in dlogits:
        gradient += row
    return gradient


def dgamma(dh_bn, h_norm, gamma):
    gradient = torch.zeros_like(gamma)
    for i in range(len(h_norm)):
        gradient += dh_bn[i] * h_norm[i]
    return gradient


def dbeta(dh_bn):
    return torch.stack([column.sum() for column in dh_bn.unbind(1)])


def dh_norm(dh_bn, gamma):
    return torch.stack([row * gamma for row in dh_bn])


def dh(dh_norm, h_norm, h_var, N):
    gradient = torch.zeros_like(h_norm)
    for k in range(h_norm.shape[1]):
        upstream, normalised = dh_norm[:, k], h_norm[:, k]
        deviation = math.sqrt(float(h_var[k]) + 1e-5)
        mean = sum(float(u) for u in upstream) / N
        product = sum(float(u) * float(z) for u, z in zip(upstream, normalised, strict=True)) / N
        for i in range(N):
            gradient[i, k] = (upstream[i] - mean - normalised[i] * product) / deviation
    return gradient


def dW(dh, X):
    total = 0
    for x, upstream in zip(X, dh, strict=True):
        total = total + x[:, None] * upstream[None, :]
    return total


def db(dh):
    total = dh[0].clone()
    for row in dh[1:]:
        total += row
    return total


def dX(dh, W):
    return torch.stack([W @ upstream for upstream in dh])
