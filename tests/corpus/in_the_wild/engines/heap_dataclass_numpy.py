"""A right engine: values in the order of their making, on a heap, and gradients of numpy.

lesson: 18
alone: yes
"""

import heapq
import itertools
import math
from dataclasses import dataclass, field
from typing import Callable, Iterable
import numpy as np
import torch

COUNTER = itertools.count()


def sweep(end, seed, add):
    """Back through the graph in order of creation, newest first."""
    pending = {end.number: [end, seed]}
    heap = [-end.number]
    while heap:
        node, g = pending.pop(-heapq.heappop(heap))
        if not node.parents:
            node.grad = add(node.grad, g)
        for parent, rule in node.parents:
            part = rule(g)
            if parent.number in pending:
                pending[parent.number][1] = pending[parent.number][1] + part
            else:
                pending[parent.number] = [parent, part]
                heapq.heappush(heap, -parent.number)


@dataclass(eq=False)
class Value:
    data: float
    inputs: tuple = ()
    grad: float = 0.0
    number: int = field(default_factory=COUNTER.__next__)

    @property
    def parents(self):
        return self.inputs

    @staticmethod
    def of(x) -> "Value":
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value.of(other)
        return Value(self.data + other.data, ((self, lambda g: g), (other, lambda g: g)))

    def __mul__(self, other):
        other = Value.of(other)
        return Value(self.data * other.data, ((self, lambda g, b=other.data: g * b), (other, lambda g, a=self.data: g * a)))

    def __pow__(self, exponent):
        return Value(self.data**exponent, ((self, lambda g: g * exponent * self.data ** (exponent - 1)),))

    def __neg__(self):
        return Value(-self.data, ((self, lambda g: -g),))

    def __sub__(self, other):
        other = Value.of(other)
        return Value(self.data - other.data, ((self, lambda g: g), (other, lambda g: -g)))

    def __truediv__(self, other):
        other = Value.of(other)
        q = self.data / other.data
        return Value(q, ((self, lambda g: g / other.data), (other, lambda g: -g * q / other.data)))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Value(other) / self

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, ((self, lambda g: g * (1 - t * t)),))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, ((self, lambda g: g * e),))

    def relu(self):
        return Value(self.data, ((self, lambda g: g),)) if self.data > 0 else Value(0.0, ((self, lambda g: 0.0),))

    def detach(self):
        return Value(self.data)

    def zero_grad(self):
        self.grad = 0.0

    def backward(self):
        sweep(self, 1.0, lambda old, g: old + g)


def unbroadcast(gradient, shape):
    g = np.asarray(gradient)
    lead = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(lead)))
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return torch.from_numpy(np.array(g)).to(gradient.dtype)


class Tensor:
    def __init__(self, data, inputs=()):
        self.data = torch.as_tensor(data) if torch.is_tensor(data) else torch.full((), float(data), dtype=torch.float64)
        self.parents = list(inputs)
        self.number = next(COUNTER)
        self.grad = torch.zeros_like(self.data)

    def _binary(self, other, f, da, db):
        other = other if isinstance(other, Tensor) else Tensor(other)
        a, b = self.data, other.data
        return Tensor(f(a, b), [(self, lambda g: unbroadcast(da(g, a, b), a.shape)), (other, lambda g: unbroadcast(db(g, a, b), b.shape))])

    def _unary(self, out, rule):
        return Tensor(out, [(self, rule)])

    def __add__(self, other): return self._binary(other, torch.add, lambda g, a, b: g, lambda g, a, b: g)
    def __sub__(self, other): return self._binary(other, torch.sub, lambda g, a, b: g, lambda g, a, b: -g)
    def __mul__(self, other): return self._binary(other, torch.mul, lambda g, a, b: g * b, lambda g, a, b: g * a)
    def __truediv__(self, other): return self._binary(other, torch.div, lambda g, a, b: g / b, lambda g, a, b: -g * a / b**2)
    def maximum(self, other): return self._binary(other, torch.maximum, lambda g, a, b: torch.where(a > b, g, torch.where(a == b, g / 2, 0.0 * g)), lambda g, a, b: torch.where(b > a, g, torch.where(a == b, g / 2, 0.0 * g)))
    def __matmul__(self, other): return self._binary(other, torch.matmul, lambda g, a, b: torch.einsum("...ik,...jk->...ij", g, b), lambda g, a, b: torch.einsum("...ki,...kj->...ij", a, g))
    def __pow__(self, exponent): return self._unary(self.data**exponent, lambda g: g * exponent * self.data ** (exponent - 1))
    def __neg__(self): return self._unary(-self.data, torch.neg)
    def __radd__(self, other): return self + other
    def __rmul__(self, other): return self * other
    def __rsub__(self, other): return -self + other
    def __rtruediv__(self, other): return Tensor(other) / self

    def tanh(self):
        out = self.data.tanh()
        return self._unary(out, lambda g: g * (1 - out.square()))

    def exp(self):
        out = self.data.exp()
        return self._unary(out, out.mul)

    def log(self):
        return self._unary(self.data.log(), lambda g: g / self.data)

    def sum(self, dim=None, keepdim=False):
        match dim:
            case None:
                dims = list(range(self.data.dim()))
            case int():
                dims = [dim % self.data.dim()]
            case _:
                dims = [d % self.data.dim() for d in dim]
        out = self.data
        for d in sorted(dims, reverse=True):
            out = out.sum(d, keepdim=keepdim)

        def rule(g):
            if not keepdim:
                for d in sorted(dims):
                    g = g.unsqueeze(d)
            return g.expand(self.data.shape)

        return self._unary(out if dims else out.clone(), rule)

    def __getitem__(self, index):
        def rule(g):
            total = np.zeros(tuple(self.data.shape))
            places = np.arange(total.size).reshape(total.shape)
            where = torch.from_numpy(places)[index].numpy()
            np.add.at(total.reshape(-1), where.reshape(-1), g.numpy().reshape(-1))
            return torch.from_numpy(total)

        return self._unary(self.data[index], rule)

    def reshape(self, *shape):
        return self._unary(self.data.reshape(*shape), lambda g: g.reshape(self.data.shape))

    def permute(self, *axes):
        return self._unary(self.data.permute(*axes), lambda g: g.permute(tuple(np.argsort(np.array(axes) % max(len(axes), 1)))))

    def detach(self):
        return Tensor(self.data)

    def zero_grad(self):
        self.grad = torch.zeros_like(self.data)

    def backward(self, gradient=None):
        sweep(self, torch.ones_like(self.data) if gradient is None else gradient.clone(), torch.add)
