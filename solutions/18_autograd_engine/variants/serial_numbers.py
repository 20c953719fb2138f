"""No search: every value has a serial number, and the latest one that waits is always handled next, from a heap."""

import heapq
import itertools
import math

import torch

numbers = itertools.count()


def propagate(end, gradient):
    waiting, gradients = [(-end.number, end)], {end.number: gradient}
    while waiting:
        _, value = heapq.heappop(waiting)
        g = gradients.pop(value.number)
        if value.parents is None:
            value.grad = value.grad + g
            continue
        for parent, term in zip(value.parents, value.pull(g), strict=True):
            if parent.number in gradients:
                gradients[parent.number] = gradients[parent.number] + term
            else:
                gradients[parent.number] = term
                heapq.heappush(waiting, (-parent.number, parent))


class Node:
    parents = pull = None

    def made(self, data, parents, pull):
        result = type(self)(data)
        result.parents, result.pull = parents, pull
        return result

    def detach(self):
        return type(self)(self.data)

    def __neg__(self):
        return self.made(-self.data, [self], lambda g: [-g])

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -(self - other)

    def __rtruediv__(self, other):
        return (self / other) ** -1


class Value(Node):
    def __init__(self, data):
        self.data, self.grad, self.number = float(data), 0.0, next(numbers)

    def lifted(self, other):
        return other if isinstance(other, Value) else Value(other)

    def __add__(self, other):
        other = self.lifted(other)
        return self.made(self.data + other.data, [self, other], lambda g: [g, g])

    def __sub__(self, other):
        other = self.lifted(other)
        return self.made(self.data - other.data, [self, other], lambda g: [g, -g])

    def __mul__(self, other):
        other = self.lifted(other)
        return self.made(self.data * other.data, [self, other], lambda g: [g * other.data, g * self.data])

    def __truediv__(self, other):
        other = self.lifted(other)
        ratio = self.data / other.data
        return self.made(ratio, [self, other], lambda g: [g / other.data, -g * ratio / other.data])

    def __pow__(self, exponent):
        return self.made(self.data**exponent, [self], lambda g: [g * exponent * self.data ** (exponent - 1)])

    def tanh(self):
        t = math.tanh(self.data)
        return self.made(t, [self], lambda g: [g * (1 - t * t)])

    def exp(self):
        e = math.exp(self.data)
        return self.made(e, [self], lambda g: [g * e])

    def relu(self):
        return self.made(max(self.data, 0.0), [self], lambda g: [g * (self.data > 0)])

    def zero_grad(self):
        self.grad = 0.0

    def backward(self):
        propagate(self, 1.0)


def unbroadcast(gradient, shape):
    padded = (1,) * (gradient.ndim - len(shape)) + tuple(shape)
    for axis, (size, wanted) in enumerate(zip(gradient.shape, padded, strict=True)):
        if wanted != size:
            gradient = gradient.sum(axis, keepdim=True)
    return gradient.reshape(shape)


class Tensor(Node):
    def __init__(self, data):
        self.data = torch.as_tensor(data, dtype=None if isinstance(data, torch.Tensor) else torch.float64)
        self.number = next(numbers)
        self.zero_grad()

    def zero_grad(self):
        self.grad = torch.zeros_like(self.data)

    def lifted(self, other):
        return other if isinstance(other, Tensor) else Tensor(other)

    def both(self, other, data, pull):
        shapes = self.data.shape, other.data.shape
        return self.made(
            data, [self, other], lambda g: [unbroadcast(term, s) for term, s in zip(pull(g), shapes, strict=True)]
        )

    def __add__(self, other):
        other = self.lifted(other)
        return self.both(other, self.data + other.data, lambda g: (g, g))

    def __sub__(self, other):
        other = self.lifted(other)
        return self.both(other, self.data - other.data, lambda g: (g, -g))

    def __mul__(self, other):
        other = self.lifted(other)
        return self.both(other, self.data * other.data, lambda g: (g * other.data, g * self.data))

    def __truediv__(self, other):
        other = self.lifted(other)
        return self.both(
            other, self.data / other.data, lambda g: (g / other.data, -g * self.data / other.data.square())
        )

    def __pow__(self, exponent):
        return self.made(self.data.pow(exponent), [self], lambda g: [g * exponent * self.data.pow(exponent - 1)])

    def __matmul__(self, other):
        return self.both(other, torch.matmul(self.data, other.data), lambda g: (g @ other.data.mT, self.data.mT @ g))

    def maximum(self, other):
        other = self.lifted(other)
        mine = (self.data > other.data).double()
        return self.both(other, self.data.maximum(other.data), lambda g: (g * mine, g * (1 - mine)))

    def tanh(self):
        t = torch.tanh(self.data)
        return self.made(t, [self], lambda g: [g - g * t * t])

    def exp(self):
        e = torch.exp(self.data)
        return self.made(e, [self], lambda g: [e * g])

    def log(self):
        return self.made(torch.log(self.data), [self], lambda g: [g / self.data])

    def sum(self, dim=None, keepdim=False):
        shape = list(self.data.shape)
        for axis in range(len(shape)) if dim is None else [dim] if isinstance(dim, int) else dim:
            shape[axis] = 1
        total = self.data.sum(dim, keepdim=keepdim) if dim is not None else self.data.sum()
        return self.made(total, [self], lambda g: [g.reshape(shape) + torch.zeros_like(self.data)])

    def __getitem__(self, index):
        def pull(g):
            flat = torch.zeros(self.data.numel(), dtype=self.data.dtype)
            places = torch.arange(flat.numel()).view(self.data.shape)[index]
            for place, term in zip(places.reshape(-1).tolist(), g.reshape(-1), strict=True):
                flat[place] += term
            return [flat.view(self.data.shape)]

        return self.made(self.data[index], [self], pull)

    def reshape(self, *shape):
        return self.made(self.data.reshape(shape), [self], lambda g: [g.reshape(self.data.shape)])

    def permute(self, *axes):
        back = [0] * len(axes)
        for new, old in enumerate(axes):
            back[old] = new
        return self.made(self.data.permute(axes), [self], lambda g: [g.permute(back)])

    def backward(self, gradient=None):
        propagate(self, torch.ones_like(self.data) if gradient is None else gradient.clone())
