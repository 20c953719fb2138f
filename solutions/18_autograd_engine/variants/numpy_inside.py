"""Numbers are kept in numpy arrays; the search is recursive, with a higher limit. A Value is a Tensor of one number."""

import sys

import numpy as np
import torch


def sum_to(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    for axis, size in enumerate(shape):
        if size == 1 and g.shape[axis] != 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


def unbroadcast(gradient, shape):
    return torch.from_numpy(np.array(sum_to(gradient.numpy(), tuple(shape))))


def order_of(node, seen, order):
    seen.add(id(node))
    for each in node.parents:
        if id(each) not in seen:
            order_of(each, seen, order)
    order.append(node)


class Array:
    def __init__(self, data, parents=(), pulls=()):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = np.zeros(self.data.shape)
        self.parents, self.pulls = parents, pulls

    def lift(self, other):
        return other if isinstance(other, Array) else type(self)(other)

    def of(self, data, parents, *pulls):
        return type(self)(data, parents, pulls)

    def __add__(self, other):
        other = self.lift(other)
        return self.of(self.data + other.data, (self, other), lambda g: g, lambda g: g)

    def __mul__(self, other):
        other = self.lift(other)
        return self.of(self.data * other.data, (self, other), lambda g: g * other.data, lambda g: g * self.data)

    def __sub__(self, other):
        other = self.lift(other)
        return self.of(self.data - other.data, (self, other), lambda g: g, np.negative)

    def __truediv__(self, other):
        other = self.lift(other)
        return self.of(
            self.data / other.data,
            (self, other),
            lambda g: g / other.data,
            lambda g: -g * self.data / other.data**2,
        )

    def __pow__(self, exponent):
        return self.of(self.data**exponent, (self,), lambda g: g * exponent * self.data ** (exponent - 1.0))

    def __neg__(self):
        return self.of(-self.data, (self,), np.negative)

    def __radd__(self, other):
        return self.lift(other) + self

    def __rmul__(self, other):
        return self.lift(other) * self

    def __rsub__(self, other):
        return self.lift(other) - self

    def __rtruediv__(self, other):
        return self.lift(other) / self

    def tanh(self):
        t = np.tanh(self.data)
        return self.of(t, (self,), lambda g: g * (1 - t**2))

    def exp(self):
        e = np.exp(self.data)
        return self.of(e, (self,), lambda g: g * e)

    def relu(self):
        return self.of(np.maximum(self.data, 0), (self,), lambda g: np.where(self.data > 0, g, 0))

    def log(self):
        return self.of(np.log(self.data), (self,), lambda g: g / self.data)

    def sum(self, dim=None, keepdim=False):
        kept = self.data.sum(axis=dim, keepdims=True).shape
        return self.of(
            self.data.sum(axis=dim, keepdims=keepdim),
            (self,),
            lambda g: np.broadcast_to(g.reshape(kept), self.data.shape),
        )

    def __getitem__(self, index):
        parts = index if isinstance(index, tuple) else (index,)
        index = tuple(part.numpy() if isinstance(part, torch.Tensor) else part for part in parts)

        def pull(g):
            gradient = np.zeros(self.data.shape)
            np.add.at(gradient, index, g)
            return gradient

        return self.of(self.data[index], (self,), pull)

    def reshape(self, *shape):
        return self.of(self.data.reshape(shape), (self,), lambda g: g.reshape(self.data.shape))

    def permute(self, *axes):
        return self.of(self.data.transpose(axes), (self,), lambda g: g.transpose(np.argsort(axes)))

    def maximum(self, other):
        other = self.lift(other)
        mine = self.data >= other.data
        return self.of(np.where(mine, self.data, other.data), (self, other), lambda g: g * mine, lambda g: g * ~mine)

    def __matmul__(self, other):
        return self.of(
            self.data @ other.data,
            (self, other),
            lambda g: g @ np.swapaxes(other.data, -1, -2),
            lambda g: np.swapaxes(self.data, -1, -2) @ g,
        )

    def detach(self):
        return type(self)(self.data.copy())

    def zero_grad(self):
        self.grad = np.zeros(self.data.shape)

    def backward(self, gradient=None):
        order, found = [], {}
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(100_000)
        order_of(self, set(), order)
        sys.setrecursionlimit(limit)
        given = gradient.numpy() if isinstance(gradient, torch.Tensor) else gradient
        found[id(self)] = np.ones(self.data.shape) if given is None else np.array(given)
        for node in reversed(order):
            g = found[id(node)]
            if not node.parents:
                node.grad = node.grad + g
            for parent, pull in zip(node.parents, node.pulls, strict=True):
                term = sum_to(np.asarray(pull(g)), parent.data.shape)
                found[id(parent)] = found.get(id(parent), 0.0) + term


class Value(Array):
    pass


class Tensor(Array):
    pass
