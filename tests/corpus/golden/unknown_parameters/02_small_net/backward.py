import torch


def dW2(dlogit, h_bn):
    return h_bn.T @ dlogit


def dh_bn(gradient, W2):
    return gradient @ W2.T


def db2(db2):
    return db2


def dgamma(dh_bn, h_norm, eps=1e-5, *, axis=0):
    return (dh_bn * h_norm).sum(axis)
