"""Gradients are added in place, to buffers that each tensor owns; a number keeps the slopes of its inputs."""

import math

import torch


def topological(end):
    order, seen, stack = [], {id(end)}, [(end, iter(end._prev))]
    while stack:
        node, children = stack[-1]
        for child in children:
            if id(child) not in seen:
                seen.add(id(child))
                stack.append((child, iter(child._prev)))
                break
        else:
            order.append(node)
            stack.pop()
    return order


class Value:
    """`inputs` are pairs: a value, and the slope in it."""

    def __init__(self, data, inputs=()):
        self.data, self.grad, self.slopes = data, 0.0, inputs
        self._prev = [value for value, _ in inputs]

    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other, [(self, 1.0)])
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other, [(self, other)])
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __pow__(self, exponent):
        return Value(self.data**exponent, [(self, exponent * self.data ** (exponent - 1))])

    def __neg__(self):
        return Value(-self.data, [(self, -1.0)])

    def __sub__(self, other):
        return self + -other

    def __truediv__(self, other):
        if not isinstance(other, Value):
            return Value(self.data / other, [(self, 1 / other)])
        return Value(self.data / other.data, [(self, 1 / other.data), (other, -self.data / other.data**2)])

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return Value(other - self.data, [(self, -1.0)])

    def __rtruediv__(self, other):
        return Value(other / self.data, [(self, -other / self.data**2)])

    def tanh(self):
        return Value(math.tanh(self.data), [(self, 1 / math.cosh(self.data) ** 2)])

    def exp(self):
        return Value(math.exp(self.data), [(self, math.exp(self.data))])

    def relu(self):
        return Value(self.data, [(self, 1.0)]) if self.data > 0 else Value(0.0, [(self, 0.0)])

    def detach(self):
        return Value(self.data)

    def zero_grad(self):
        self.grad = 0.0

    def backward(self):
        order = topological(self)
        before = {id(node): node.grad for node in order if not node._prev}
        for node in order:
            node.grad = 0.0
        self.grad = 1.0
        for node in reversed(order):
            for value, slope in node.slopes:
                value.grad += slope * node.grad
        for node in order:
            node.grad += before.get(id(node), 0.0)


def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis, keepdim=True)
    return gradient


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(torch.tensor(float(value)))


class Tensor:
    def __init__(self, data, inputs=()):
        self.data = data
        self.grad = torch.zeros(data.shape, dtype=data.dtype)
        self._prev = tuple(inputs)
        self._backward = lambda: None

    def _add(self, gradient):
        gradient = unbroadcast(gradient, self.data.shape)
        self.grad += gradient

    def _made(self, data, inputs, backward):
        out = Tensor(data, inputs)
        out._backward = lambda: backward(out.grad)
        return out

    def __add__(self, other):
        other = as_tensor(other)

        def back(g):
            self._add(g)
            other._add(g)

        return self._made(self.data + other.data, (self, other), back)

    def __mul__(self, other):
        other = as_tensor(other)

        def back(g):
            self._add(g * other.data)
            other._add(g * self.data)

        return self._made(self.data * other.data, (self, other), back)

    def __pow__(self, exponent):
        return self._made(self.data**exponent, (self,), lambda g: self._add(g * exponent * self.data ** (exponent - 1)))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * as_tensor(other) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rtruediv__(self, other):
        return as_tensor(other) / self

    def tanh(self):
        out = self.data.tanh()
        return self._made(out, (self,), lambda g: self._add(g * (1 - out * out)))

    def exp(self):
        out = self.data.exp()
        return self._made(out, (self,), lambda g: self._add(g * out))

    def log(self):
        return self._made(self.data.log(), (self,), lambda g: self._add(g / self.data))

    def sum(self, dim=None, keepdim=False):
        if dim is None:
            return self._made(self.data.sum(), (self,), lambda g: self._add(g * torch.ones_like(self.data)))
        dims = [d % self.data.dim() for d in ((dim,) if isinstance(dim, int) else dim)]

        def back(g):
            for d in sorted(dims) if not keepdim else ():
                g = g.unsqueeze(d)
            self._add(g.expand_as(self.data))

        return self._made(self.data.sum(dims, keepdim=keepdim), (self,), back)

    def __getitem__(self, index):
        def back(g):
            gradient = torch.zeros_like(self.data)
            if isinstance(index, torch.Tensor) or (
                isinstance(index, tuple) and any(isinstance(i, torch.Tensor) for i in index)
            ):
                places = tuple(
                    torch.arange(n)[i] if isinstance(i, slice) else torch.as_tensor(i)
                    for i, n in zip(index if isinstance(index, tuple) else (index,), gradient.shape, strict=False)
                )
                if isinstance(index, tuple) and any(isinstance(i, slice) for i in index):
                    places = tuple(
                        p.reshape([-1 if k == j else 1 for j in range(len(places))]) for k, p in enumerate(places)
                    )
                gradient.index_put_(places, g, accumulate=True)
            else:
                gradient[index].add_(g)
            self._add(gradient)

        return self._made(self.data[index], (self,), back)

    def reshape(self, *shape):
        return self._made(self.data.reshape(*shape), (self,), lambda g: self._add(g.reshape(self.data.shape)))

    def permute(self, *axes):
        inverse = torch.argsort(torch.tensor(axes)).tolist()
        return self._made(self.data.permute(*axes), (self,), lambda g: self._add(g.permute(*inverse)))

    def maximum(self, other):
        other = as_tensor(other)

        def back(g):
            mask = self.data >= other.data
            self._add(g * mask)
            other._add(g * ~mask)

        return self._made(torch.maximum(self.data, other.data), (self, other), back)

    def __matmul__(self, other):
        def back(g):
            self._add(g @ other.data.mT)
            other._add(self.data.mT @ g)

        return self._made(self.data @ other.data, (self, other), back)

    def detach(self):
        return Tensor(self.data.clone())

    def zero_grad(self):
        self.grad.zero_()

    def backward(self, gradient=None):
        order = topological(self)
        for node in order:
            if node._prev:
                node.grad.zero_()
        self._add(torch.ones_like(self.data) if gradient is None else gradient)
        for node in reversed(order):
            node._backward()
