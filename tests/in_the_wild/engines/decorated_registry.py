"""A right engine: operations are decorated with their rules.

lesson: 18
alone: yes
"""

import math
import functools
import torch

_RULES = {}


def differentiable(rule):
    def wrap(forward):
        @functools.wraps(forward)
        def op(self, *args, **kwargs):
            operands = [self] + [self._coerce(a) for a in args] if rule.binary else [self]
            out = forward(*(operands if rule.binary else (self, *args)), **kwargs)
            result = self.__class__(out)
            result._how = (rule, operands, args, kwargs, out)
            return result
        return op
    return wrap


class Rule:
    def __init__(self, fn, binary=False):
        self.fn, self.binary = fn, binary


def binary(fn):
    return differentiable(Rule(fn, True))


def unary(fn):
    return differentiable(Rule(fn))


def unbroadcast(gradient, shape):
    dims = tuple(range(gradient.dim() - len(shape)))
    if dims:
        gradient = torch.sum(gradient, dim=dims)
    ones = tuple(i for i in range(len(shape)) if shape[i] == 1 and gradient.size(i) > 1)
    return gradient.sum(dim=ones, keepdim=True) if ones else gradient


def _size(x):
    return tuple(x.shape) if hasattr(x, "shape") else None


class Engine:
    def _coerce(self, other):
        return other if isinstance(other, Engine) else self.__class__(other)

    @binary(lambda g, out, a, b: (g, g))
    def __add__(self, other):
        return self.data + other.data

    @binary(lambda g, out, a, b: (g, -g))
    def __sub__(self, other):
        return self.data - other.data

    @binary(lambda g, out, a, b: (g * b, g * a))
    def __mul__(self, other):
        return self.data * other.data

    @binary(lambda g, out, a, b: (g / b, -g * out / b))
    def __truediv__(self, other):
        return self.data / other.data

    @unary(lambda g, out, a, n: g * n * a ** (n - 1))
    def __pow__(self, exponent):
        return self.data ** exponent

    @unary(lambda g, out, a: -g)
    def __neg__(self):
        return -self.data

    @unary(lambda g, out, a: g * (1 - out * out))
    def tanh(self):
        return self._math.tanh(self.data)

    @unary(lambda g, out, a: g * out)
    def exp(self):
        return self._math.exp(self.data)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self._coerce(other) / self

    def detach(self):
        return self.__class__(self.data)

    def _children(self):
        return self._how[1] if self._how else []

    def _sorted(self):
        state, stack, order = {}, [self], []
        while stack:
            node = stack[-1]
            if state.get(node) is None:
                state[node] = 1
                stack.extend(c for c in node._children() if state.get(c) is None)
            else:
                stack.pop()
                if state[node] == 1:
                    state[node] = 2
                    order.append(node)
        return order

    def _go(self, seed):
        flow = {self: seed}
        for node in reversed(self._sorted()):
            g = flow.pop(node)
            if node._how is None:
                node.grad = node.grad + g
                continue
            rule, operands, args, kwargs, out = node._how
            parts = rule.fn(g, out, *(o.data for o in operands)) if rule.binary else (rule.fn(g, out, self_data(operands), *args, **kwargs),)
            for o, d in zip(operands, parts):
                if _size(d) is not None:
                    d = unbroadcast(d, o.data.shape)
                flow[o] = flow[o] + d if o in flow else d


def self_data(operands):
    return operands[0].data


class Value(Engine):
    _math = math

    def __init__(self, data, inputs=()):
        self.data, self.grad, self._how = data, 0.0, None

    @unary(lambda g, out, a: g * (a > 0))
    def relu(self):
        return (self.data > 0) * self.data

    def zero_grad(self):
        self.grad = 0.0

    def backward(self):
        self._go(1.0)


def spread(g, out, a, dim=None, keepdim=False):
    if dim is None or a.dim() == 0:
        return g.reshape([1] * a.dim()).expand(a.shape)
    if not keepdim:
        for d in sorted(d % a.dim() for d in ((dim,) if isinstance(dim, int) else dim)):
            g = g.unsqueeze(d)
    return g.expand(a.shape)


def put(g, out, a, index):
    flat = torch.zeros(a.numel(), dtype=a.dtype)
    flat.index_add_(0, torch.arange(a.numel()).reshape(a.shape)[index].reshape(-1), g.reshape(-1))
    return flat.reshape(a.shape)


class Tensor(Engine):
    _math = torch

    def __init__(self, data, inputs=()):
        self.data = data if isinstance(data, torch.Tensor) else torch.tensor(float(data), dtype=torch.double)
        self.grad, self._how = torch.zeros_like(self.data), None

    @unary(lambda g, out, a: g / a)
    def log(self):
        return self.data.log()

    @unary(spread)
    def sum(self, dim=None, keepdim=False):
        if dim is None or self.data.dim() == 0:
            total = self.data.sum()
            return total.reshape([1] * self.data.dim()) if keepdim else total
        return self.data.sum(dim, keepdim)

    @unary(put)
    def __getitem__(self, index):
        return self.data[index]

    @unary(lambda g, out, a, *shape: g.reshape(a.shape))
    def reshape(self, *shape):
        return self.data.reshape(*shape)

    @unary(lambda g, out, a, *axes: g.permute(*[[x % len(axes) for x in axes].index(i) for i in range(len(axes))]))
    def permute(self, *axes):
        return self.data.permute(*axes)

    @binary(lambda g, out, a, b: (g * (a >= b), g * (b > a)))
    def maximum(self, other):
        return torch.maximum(self.data, other.data)

    @binary(lambda g, out, a, b: (g @ b.mT, a.mT @ g))
    def __matmul__(self, other):
        return self.data @ other.data

    def zero_grad(self):
        self.grad = torch.zeros_like(self.data)

    def backward(self, gradient=None):
        self._go(torch.ones_like(self.data) if gradient is None else gradient)
