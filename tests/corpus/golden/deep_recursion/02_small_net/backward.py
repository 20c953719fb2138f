import torch


def dW2(dlogits, h_bn):
    return h_bn.T @ dlogits


def dh_bn(dlogits, W2):
    return dh_bn(dlogits, W2)


def db2(dlogits):
    return dlogits.sum(0)
