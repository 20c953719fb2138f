"""A right engine: a class for each operation, `__slots__`, one backward pass for both kinds.

lesson: 18
alone: yes
"""

from __future__ import annotations
import math
from typing import Any, Sequence
import torch


class Op:
    __slots__ = ("inputs", "saved")

    def __init__(self, *inputs):
        self.inputs = inputs

    @classmethod
    def apply(cls, *inputs, **kw):
        op = cls(*inputs)
        out = type(inputs[0])(op.forward(*[i.data for i in inputs], **kw))
        out.op = op
        return out


class Add(Op):
    def forward(self, a, b):
        self.saved = (shape(a), shape(b))
        return a + b
    def backward(self, g):
        return unbroadcast(g, self.saved[0]), unbroadcast(g, self.saved[1])


class Mul(Op):
    def forward(self, a, b):
        self.saved = (a, b)
        return a * b
    def backward(self, g):
        a, b = self.saved
        return unbroadcast(g * b, shape(a)), unbroadcast(g * a, shape(b))


class Pow(Op):
    def forward(self, a, n=1):
        self.saved = (a, n)
        return a ** n
    def backward(self, g):
        a, n = self.saved
        return (g * n * a ** (n - 1),)


class Tanh(Op):
    def forward(self, a):
        self.saved = torch.tanh(a) if isinstance(a, torch.Tensor) else math.tanh(a)
        return self.saved
    def backward(self, g):
        return (g * (1 - self.saved * self.saved),)


class Exp(Op):
    def forward(self, a):
        self.saved = torch.exp(a) if isinstance(a, torch.Tensor) else math.exp(a)
        return self.saved
    def backward(self, g):
        return (g * self.saved,)


class Log(Op):
    def forward(self, a):
        self.saved = a
        return torch.log(a)
    def backward(self, g):
        return (g / self.saved,)


class Relu(Op):
    def forward(self, a):
        self.saved = a > 0
        return a if a > 0 else 0.0
    def backward(self, g):
        return (g if self.saved else 0.0,)


class Sum(Op):
    def forward(self, a, dim=None, keepdim=False):
        dims = tuple(range(a.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        dims = tuple(d % a.ndim for d in dims) if a.ndim else ()
        self.saved = (a.shape, dims)
        if not a.ndim:
            return a.clone()
        return torch.sum(a, dim=dims, keepdim=keepdim)
    def backward(self, g):
        s, dims = self.saved
        return (g.reshape([1 if i in dims else n for i, n in enumerate(s)]).expand(s),)


class Index(Op):
    def forward(self, a, index=None):
        self.saved = (a.shape, index)
        return a[index]
    def backward(self, g):
        s, index = self.saved
        numbers = torch.arange(math.prod(s)).view(s)[index]
        flat = torch.zeros(math.prod(s), dtype=g.dtype)
        flat.index_put_((numbers,), g, accumulate=True)
        return (flat.view(s),)


class Reshape(Op):
    def forward(self, a, shape=()):
        self.saved = a.shape
        return a.reshape(shape)
    def backward(self, g):
        return (g.reshape(self.saved),)


class Permute(Op):
    def forward(self, a, axes=()):
        self.saved = axes
        return a.permute(axes)
    def backward(self, g):
        n = len(self.saved)
        return (g.permute([int(i) for i in torch.argsort(torch.tensor([x % n for x in self.saved], dtype=torch.long))]),)


class Maximum(Op):
    def forward(self, a, b):
        self.saved = (a, b)
        return torch.maximum(a, b)
    def backward(self, g):
        a, b = self.saved
        share = (a > b).to(g.dtype) + 0.5 * (a == b).to(g.dtype)
        return unbroadcast(g * share, a.shape), unbroadcast(g * (1 - share), b.shape)


class MatMul(Op):
    def forward(self, a, b):
        self.saved = (a, b)
        return torch.matmul(a, b)
    def backward(self, g):
        a, b = self.saved
        return unbroadcast(g @ b.transpose(-1, -2), a.shape), unbroadcast(a.transpose(-1, -2) @ g, b.shape)


def shape(x):
    return x.shape if isinstance(x, torch.Tensor) else ()


def unbroadcast(gradient, shape):
    if not isinstance(gradient, torch.Tensor):
        return gradient
    extra = gradient.ndim - len(shape)
    axes = list(range(extra)) + [i + extra for i, n in enumerate(shape) if n == 1]
    return (gradient.sum(axes) if axes else gradient).reshape(shape)


def topological(root):
    order, done, stack = [], set(), [(root, iter(root.op.inputs if root.op else ()))]
    done.add(id(root))
    while stack:
        node, children = stack[-1]
        for child in children:
            if id(child) not in done:
                done.add(id(child))
                stack.append((child, iter(child.op.inputs if child.op else ())))
                break
        else:
            order.append(node)
            stack.pop()
    return order


class Node:
    __slots__ = ("data", "grad", "op")

    def _lift(self, other):
        return other if isinstance(other, type(self)) else type(self)(other)

    def __add__(self, other): return Add.apply(self, self._lift(other))
    def __mul__(self, other): return Mul.apply(self, self._lift(other))
    def __pow__(self, exponent): return Pow.apply(self, n=exponent)
    def __neg__(self): return self * -1.0
    def __sub__(self, other): return self + -self._lift(other)
    def __truediv__(self, other): return self * self._lift(other) ** -1.0
    def __radd__(self, other): return self + other
    def __rmul__(self, other): return self * other
    def __rsub__(self, other): return -self + other
    def __rtruediv__(self, other): return self._lift(other) / self
    def tanh(self): return Tanh.apply(self)
    def exp(self): return Exp.apply(self)
    def detach(self): return type(self)(self.data)

    def _run(self, seed):
        grads = {id(self): seed}
        for node in reversed(topological(self)):
            g = grads.pop(id(node), None)
            if g is None:
                continue
            if node.op is None:
                node.grad = node.grad + g
                continue
            for inp, d in zip(node.op.inputs, node.op.backward(g)):
                grads[id(inp)] = grads[id(inp)] + d if id(inp) in grads else d


class Value(Node):
    __slots__ = ()

    def __init__(self, data, inputs=()):
        self.data, self.grad, self.op = data, 0.0, None

    def relu(self): return Relu.apply(self)
    def zero_grad(self): self.grad = 0.0
    def backward(self): self._run(1.0)


class Tensor(Node):
    __slots__ = ()

    def __init__(self, data, inputs=()):
        if not isinstance(data, torch.Tensor):
            data = torch.tensor(data, dtype=torch.get_default_dtype())
        self.data, self.op = data, None
        self.grad = torch.zeros_like(data)

    def log(self): return Log.apply(self)
    def sum(self, dim=None, keepdim=False): return Sum.apply(self, dim=dim, keepdim=keepdim)
    def __getitem__(self, index): return Index.apply(self, index=index)
    def reshape(self, *shape): return Reshape.apply(self, shape=shape)
    def permute(self, *axes): return Permute.apply(self, axes=axes)
    def maximum(self, other): return Maximum.apply(self, self._lift(other))
    def __matmul__(self, other): return MatMul.apply(self, self._lift(other))
    def zero_grad(self): self.grad = torch.zeros_like(self.data)
    def backward(self, gradient=None):
        self._run(torch.ones_like(self.data) if gradient is None else gradient)
