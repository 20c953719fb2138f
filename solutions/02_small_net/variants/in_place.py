"""Right, in place, but only on tensors of its own."""

import torch


def dlogits(logits, Y, N):
    gradient = logits.clone()
    gradient -= gradient.amax(1, keepdim=True)
    gradient.exp_()
    gradient /= gradient.sum(1, keepdim=True)
    gradient[torch.arange(N), Y] -= 1
    gradient /= N
    return gradient


def dh_bn(dlogits, W2):
    gradient = torch.empty(dlogits.shape[0], W2.shape[0], dtype=W2.dtype)
    torch.mm(dlogits, W2.T, out=gradient)
    return gradient


def dW2(dlogits, h_bn, W2):
    gradient = torch.zeros_like(W2)
    gradient.addmm_(h_bn.T, dlogits)
    return gradient


def db2(dlogits, b2):
    gradient = torch.zeros_like(b2)
    gradient += dlogits.sum(0)
    return gradient


def dgamma(dh_bn, h_norm):
    gradient = dh_bn.clone()
    gradient *= h_norm
    return gradient.sum(0)


def dbeta(dh_bn, beta):
    gradient = torch.zeros_like(beta)
    gradient += dh_bn.sum(0)
    return gradient


def dh_norm(dh_bn, gamma):
    gradient = dh_bn.clone()
    gradient *= gamma
    return gradient


def dh(dh_norm, h_norm, h_var, N):
    gradient = dh_norm * N
    gradient -= dh_norm.sum(0)
    gradient.sub_(h_norm * (dh_norm * h_norm).sum(0))
    gradient /= N
    gradient /= (h_var + 1e-5).sqrt_()
    return gradient


def dW(dh, X, W):
    gradient = torch.zeros_like(W)
    gradient += X.T @ dh
    return gradient


def db(dh, b):
    gradient = torch.zeros_like(b)
    gradient += dh.sum(0)
    return gradient


def dX(dh, W, X):
    gradient = torch.zeros_like(X)
    gradient.addmm_(dh, W.T)
    return gradient
