"""A right engine: nested generators instead of recursion, and a rule for each input.

lesson: 18
alone: yes
"""

import math
import torch


def visit(node, seen):
    """Post-order, as nested generators driven by an explicit stack."""
    for parent, _ in node.inputs:
        if parent not in seen:
            seen.add(parent)
            yield visit(parent, seen)
    yield node


def postorder(end):
    stack = [visit(end, {end})]
    while stack:
        try:
            item = next(stack[-1])
        except StopIteration:
            stack.pop()
            continue
        if isinstance(item, (Value, Tensor)):
            yield item
        else:
            stack.append(item)


def run(end, seed):
    order = list(postorder(end))
    passing = {end: seed}
    for node in order[::-1]:
        g = passing[node]
        if not node.inputs:
            node.grad = node.grad + g
        for parent, rule in node.inputs:
            new = rule(g)
            passing[parent] = passing[parent] + new if parent in passing else new


class Value:
    def __init__(self, data, inputs=()):
        self.data, self.inputs, self.grad = data, inputs, 0.0

    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other, [(self, lambda g: g)])
        return Value(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other, [(self, lambda g: g * other)])
        return Value(self.data * other.data, [(self, lambda g: g * other.data), (other, lambda g: g * self.data)])

    def __pow__(self, exponent):
        return Value(self.data**exponent, [(self, lambda g: g * exponent * self.data ** (exponent - 1))])

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + other * -1

    def __truediv__(self, other):
        return self * (1 / other)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return other * self**-1

    def tanh(self):
        e = math.tanh(self.data)
        return Value(e, [(self, lambda g: g * (1 - e**2))])

    def exp(self):
        e = math.e**self.data
        return Value(e, [(self, lambda g: g * e)])

    def relu(self):
        return Value(max(self.data, 0), [(self, lambda g: g * (self.data >= 0))])

    def detach(self):
        return Value(self.data)

    def zero_grad(self):
        self.grad = 0

    def backward(self):
        run(self, 1.0)


def unbroadcast(gradient, shape):
    if gradient.shape == torch.Size(shape):
        return gradient
    if gradient.ndim > len(shape):
        return unbroadcast(gradient.sum(0), shape)
    axis = next(i for i, (a, b) in enumerate(zip(gradient.shape, shape)) if a != b)
    return unbroadcast(gradient.sum(axis, keepdim=True), shape)


def tensor(x):
    return x if isinstance(x, Tensor) else Tensor(x)


class Tensor:
    def __init__(self, data, inputs=()):
        self.data = data if isinstance(data, torch.Tensor) else torch.tensor(data, dtype=torch.float64)
        self.inputs = inputs
        self.grad = torch.zeros_like(self.data)

    def _two(self, other, data, mine, its):
        return Tensor(data, [(self, lambda g: unbroadcast(mine(g), self.data.shape)), (other, lambda g: unbroadcast(its(g), other.data.shape))])

    def __add__(self, other):
        other = tensor(other)
        return self._two(other, self.data + other.data, lambda g: g, lambda g: g)

    def __mul__(self, other):
        other = tensor(other)
        return self._two(other, self.data * other.data, lambda g: g * other.data, lambda g: g * self.data)

    def __pow__(self, exponent):
        return Tensor(self.data**exponent, [(self, lambda g: g * exponent * self.data ** (exponent - 1))])

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -tensor(other)

    def __truediv__(self, other):
        return self * tensor(other) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return tensor(other) * self**-1

    def tanh(self):
        t = self.data.tanh()
        return Tensor(t, [(self, lambda g: g * (1 - t**2))])

    def exp(self):
        e = self.data.exp()
        return Tensor(e, [(self, lambda g: g * e)])

    def log(self):
        return Tensor(self.data.log(), [(self, lambda g: g / self.data)])

    def sum(self, dim=None, keepdim=False):
        every = tuple(range(self.data.ndim))
        dims = every if dim is None else dim
        out = torch.sum(self.data, dims, keepdim=keepdim) if every else self.data + 0
        shape = torch.sum(self.data, dims, keepdim=True).shape if every else ()
        return Tensor(out, [(self, lambda g: torch.broadcast_to(g.reshape(shape), self.data.shape))])

    def __getitem__(self, index):
        def rule(g):
            out = torch.zeros_like(self.data)
            key = index if isinstance(index, tuple) else (index,)
            if all(isinstance(k, (int, slice)) for k in key):
                out[index] = g
                return out
            places = torch.arange(out.numel()).reshape(out.shape)[index]
            return torch.bincount(places.flatten(), weights=g.flatten(), minlength=out.numel()).reshape(out.shape).to(out.dtype)
        return Tensor(self.data[index], [(self, rule)])

    def reshape(self, *shape):
        return Tensor(self.data.reshape(*shape), [(self, lambda g: g.reshape(self.data.shape))])

    def permute(self, *axes):
        def rule(g):
            for axis in range(len(axes)):
                pass
            inverse = [0] * len(axes)
            for k, a in enumerate(axes):
                inverse[a] = k
            return g.permute(*inverse)
        return Tensor(self.data.permute(*axes), [(self, rule)])

    def maximum(self, other):
        other = tensor(other)
        first = self.data >= other.data
        return self._two(other, torch.where(first, self.data, other.data), lambda g: g.masked_fill(~first, 0), lambda g: g.masked_fill(first, 0))

    def __matmul__(self, other):
        return self._two(other, self.data @ other.data, lambda g: g @ other.data.mT, lambda g: self.data.mT @ g)

    def detach(self):
        return Tensor(self.data)

    def zero_grad(self):
        self.grad = torch.zeros_like(self.data)

    def backward(self, gradient=None):
        run(self, torch.ones_like(self.data) if gradient is None else gradient)
