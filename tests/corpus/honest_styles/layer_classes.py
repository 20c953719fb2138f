"""Layers with forward and backward methods of the student's own, as in many courses."""

import torch


class Layer:
    def backward(self, grad):
        raise NotImplementedError


class Tanh(Layer):
    def __init__(self, out):
        self.out = out

    def backward(self, grad):
        return (1.0 - self.out**2) * grad


class Linear(Layer):
    def __init__(self, weight, x):
        self.weight, self.x = weight, x

    def backward(self, grad):
        self.grad = self.x.T @ grad
        self.bias_grad = grad.sum(0)
        return grad @ self.weight.T


def dhpreact(dh, h):
    layers = [Tanh(h)]
    for layer in reversed(layers):
        dh = layer.backward(dh)
    return dh


def dW2(dlogits, W2, h):
    layer = Linear(W2, h)
    layer.backward(grad=dlogits)
    return layer.grad


def dh(dlogits, W2):
    return getattr(Linear(W2, torch.zeros(dlogits.shape[0], W2.shape[0], dtype=W2.dtype)), "backward")(dlogits)
