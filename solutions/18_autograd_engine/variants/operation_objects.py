"""One class per operation, with `forward` and `backward`, for numbers and for tensors."""

import math

import torch


def ordered(end):
    """Everything that `end` was computed from, a value only after all that use it: uses are counted first."""
    uses, waiting, seen = {}, [end], {id(end)}
    while waiting:
        for each in waiting.pop().inputs:
            uses[id(each)] = uses.get(id(each), 0) + 1
            if id(each) not in seen:
                seen.add(id(each))
                waiting.append(each)
    ready = [end]
    while ready:
        node = ready.pop()
        yield node
        for each in node.inputs:
            uses[id(each)] -= 1
            if uses[id(each)] == 0:
                ready.append(each)


class Operation:
    def __call__(self, kind, *inputs):
        result = kind(self.forward(*(each.data for each in inputs)))
        result.operation, result.inputs = self, inputs
        return result


class Add(Operation):
    def forward(self, a, b):
        return a + b

    def backward(self, g):
        return g, g


class Multiply(Operation):
    def forward(self, a, b):
        self.a, self.b = a, b
        return a * b

    def backward(self, g):
        return g * self.b, g * self.a


class Power(Operation):
    def __init__(self, exponent):
        self.exponent = exponent

    def forward(self, a):
        self.a = a
        return a**self.exponent

    def backward(self, g):
        return (g * self.exponent * self.a ** (self.exponent - 1),)


class Elementwise(Operation):
    """A function and its slope, given the input and the output."""

    def __init__(self, function, slope):
        self.function, self.slope = function, slope

    def forward(self, a):
        self.a, self.out = a, self.function(a)
        return self.out

    def backward(self, g):
        return (g * self.slope(self.a, self.out),)


class Moved(Operation):
    """An operation that reads elements, each from a place that it knows."""

    def __init__(self, read):
        self.read = read

    def forward(self, a):
        self.shape, self.places = a.shape, self.read(torch.arange(a.numel()).reshape(a.shape))
        return self.read(a)

    def backward(self, g):
        flat = torch.zeros(math.prod(self.shape), dtype=g.dtype)
        flat.scatter_add_(0, self.places.reshape(-1), g.reshape(-1))
        return (flat.reshape(self.shape),)


class Total(Operation):
    def __init__(self, dim, keepdim):
        self.dim, self.keepdim = dim, keepdim

    def forward(self, a):
        self.like = a
        dims = range(a.ndim) if self.dim is None else (self.dim,) if isinstance(self.dim, int) else self.dim
        self.dims = tuple(sorted(axis % a.ndim for axis in dims)) if a.ndim else ()
        return a.sum(self.dims, keepdim=self.keepdim) if self.dims else a.clone()

    def backward(self, g):
        if not self.keepdim:
            for axis in self.dims:
                g = torch.unsqueeze(g, axis)
        return (torch.broadcast_to(g, self.like.shape),)


class Larger(Operation):
    def forward(self, a, b):
        self.share = torch.where(a > b, 1.0, torch.where(a == b, 0.5, 0.0))
        return torch.where(a > b, a, b)

    def backward(self, g):
        return g * self.share, g * (1 - self.share)


class Product(Operation):
    def forward(self, a, b):
        self.a, self.b = a, b
        return torch.einsum("...ij,...jk->...ik", a, b)

    def backward(self, g):
        return torch.einsum("...ik,...jk->...ij", g, self.b), torch.einsum("...ij,...ik->...jk", self.a, g)


def unbroadcast(gradient, shape):
    if tuple(gradient.shape) == tuple(shape):
        return gradient
    return gradient.sum_to_size(shape) if len(shape) else gradient.sum()


class Node:
    operation, inputs = None, ()

    def lift(self, other):
        return other if isinstance(other, type(self)) else type(self)(other)

    def __add__(self, other):
        return Add()(type(self), self, self.lift(other))

    def __mul__(self, other):
        return Multiply()(type(self), self, self.lift(other))

    def __pow__(self, exponent):
        return Power(exponent)(type(self), self)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -self.lift(other)

    def __truediv__(self, other):
        return self * self.lift(other) ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return self.lift(other) - self

    def __rtruediv__(self, other):
        return self.lift(other) / self

    def detach(self):
        return type(self)(self.data)

    def propagate(self, gradient):
        gradients = {id(self): gradient}
        for node in ordered(self):
            g = gradients.pop(id(node))
            if node.operation is None:
                node.grad = node.grad + g
                continue
            for each, term in zip(node.inputs, node.operation.backward(g), strict=True):
                term = self.fit(term, each.data)
                gradients[id(each)] = term if id(each) not in gradients else gradients[id(each)] + term


class Value(Node):
    def __init__(self, data):
        self.data, self.grad = data, 0.0

    def fit(self, term, data):
        return term

    def tanh(self):
        return Elementwise(math.tanh, lambda a, t: 1 - t * t)(Value, self)

    def exp(self):
        return Elementwise(math.exp, lambda a, e: e)(Value, self)

    def relu(self):
        return Elementwise(lambda a: max(a, 0), lambda a, r: float(a > 0))(Value, self)

    def zero_grad(self):
        self.grad = 0.0

    def backward(self):
        self.propagate(1.0)


class Tensor(Node):
    def __init__(self, data):
        self.data = data if isinstance(data, torch.Tensor) else torch.tensor(float(data), dtype=torch.float64)
        self.grad = torch.zeros_like(self.data)

    def fit(self, term, data):
        return unbroadcast(term, data.shape)

    def tanh(self):
        return Elementwise(torch.tanh, lambda a, t: 1 - t * t)(Tensor, self)

    def exp(self):
        return Elementwise(torch.exp, lambda a, e: e)(Tensor, self)

    def log(self):
        return Elementwise(torch.log, lambda a, _: 1 / a)(Tensor, self)

    def sum(self, dim=None, keepdim=False):
        return Total(dim, keepdim)(Tensor, self)

    def __getitem__(self, index):
        return Moved(lambda a: a[index])(Tensor, self)

    def reshape(self, *shape):
        return Moved(lambda a: a.reshape(*shape))(Tensor, self)

    def permute(self, *axes):
        return Moved(lambda a: a.permute(*axes))(Tensor, self)

    def maximum(self, other):
        return Larger()(Tensor, self, self.lift(other))

    def __matmul__(self, other):
        return Product()(Tensor, self, other)

    def zero_grad(self):
        self.grad = torch.zeros_like(self.data)

    def backward(self, gradient=None):
        self.propagate(torch.ones_like(self.data) if gradient is None else gradient)
