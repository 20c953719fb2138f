"""Lesson 18: your own autograd engine, first for numbers, then for tensors.

`Value` holds one number, `Tensor` a torch tensor. Both remember what they were computed from, so that `backward` can
send a gradient back to every leaf: to every object that was made with `Value(2.0)` or `Tensor(data)` and not by an
operation. All classes, methods and names below are what the grader uses; what else you define is up to you. Plain torch
tensors only store numbers here: torch's autograd is switched off.

Check as often as you like:  dojo check 18
"""

import math

import torch


class Value:
    """A number that remembers how it was computed.

    Attributes:
        data: the number.
        grad: of a leaf, the sum of the gradients that all calls of `backward` have sent to it; 0.0 before the first
            call. What you store in the `grad` of other values is up to you.
    """

    def __init__(self, data, inputs=()):
        """Make a leaf with the number `data`.

        Your own methods may also pass `inputs`, in any form that you like: what the value was computed from, and how a
        gradient gets back there.
        """
        # <answer>
        self.data, self.grad = data, 0.0
        self.inputs = inputs  # pairs: an input, and a function from my gradient to its gradient
        # </answer>

    def __add__(self, other):
        """self + other. Here and below, `other` is a Value or a plain number."""
        # <answer>
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])
        # </answer>

    def __mul__(self, other):
        """self * other"""
        # <answer>
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, [(self, lambda g: g * other.data), (other, lambda g: g * self.data)])
        # </answer>

    def __pow__(self, exponent):
        """self ** exponent, where `exponent` is a plain number."""
        # <answer>
        slope = exponent * self.data ** (exponent - 1)
        return Value(self.data**exponent, [(self, lambda g: g * slope)])
        # </answer>

    def __neg__(self):
        """-self"""
        # <answer>
        return self * -1
        # </answer>

    def __sub__(self, other):
        """self - other"""
        # <answer>
        return self + other * -1
        # </answer>

    def __truediv__(self, other):
        """self / other"""
        # <answer>
        other = other if isinstance(other, Value) else Value(other)
        return self * other**-1
        # </answer>

    # Python calls these four if a plain number is on the left, as in 2 * a.

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Value(other) / self

    def tanh(self):
        # <answer>
        t = math.tanh(self.data)
        return Value(t, [(self, lambda g: g * (1 - t**2))])
        # </answer>

    def exp(self):
        # <answer>
        e = math.exp(self.data)
        return Value(e, [(self, lambda g: g * e)])
        # </answer>

    def relu(self):
        """max(0, self). Where self is exactly 0, its slope may be 0 or 1."""
        # <answer>
        is_open = self.data > 0
        return Value(max(0.0, self.data), [(self, lambda g: g if is_open else 0.0)])
        # </answer>

    def detach(self):
        """A new leaf with the same number: no gradient goes back through it to `self`."""
        # <answer>
        return Value(self.data)
        # </answer>

    def zero_grad(self):
        """Set `grad` back to zero."""
        # <answer>
        self.grad = 0.0
        # </answer>

    def backward(self):
        """Add the gradient of this value with respect to each leaf to the `grad` of that leaf.

        It can be called again, for this value or for another one; `grad` is then the sum of all calls. If this value
        is a leaf itself, its own gradient is one. A graph may be deeper than Python's recursion limit.
        """
        # <answer>
        self._backward(1.0)

    def _backward(self, gradient):
        order, seen, waiting = [], set(), [(self, False)]
        while waiting:  # depth first: a value is appended after everything that it was computed from
            value, is_complete = waiting.pop()
            if is_complete:
                order.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                waiting.append((value, True))
                waiting += [(each, False) for each, _ in value.inputs]
        gradients = {id(self): gradient}  # of this pass alone
        for value in reversed(order):
            g = gradients[id(value)]
            if not value.inputs:
                value.grad = value.grad + g
            for each, pull in value.inputs:
                term = pull(g)
                gradients[id(each)] = gradients[id(each)] + term if id(each) in gradients else term
        # </answer>


def unbroadcast(gradient, shape):
    """The gradient of a tensor of shape `shape` that was broadcast to the shape of `gradient`.

    gradient: a torch tensor; it is left as it is. Returns a torch tensor of shape `shape`.
    """
    # <answer>
    gradient = gradient.sum(tuple(range(gradient.ndim - len(shape)))) if gradient.ndim > len(shape) else gradient
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[axis] != 1)
    return gradient.sum(stretched, keepdim=True) if stretched else gradient
    # </answer>


class Tensor:
    """A torch tensor that remembers how it was computed.

    Attributes:
        data: a torch tensor of floats.
        grad: of a leaf, the sum of the gradients that all calls of `backward` have sent to it: a torch tensor of the
            shape of `data`, with zeros before the first call. What you store in the `grad` of other tensors is up to
            you.

    Shapes are broadcast as in torch. No operation changes the tensors that it gets, or the `data` of another Tensor.
    """

    def __init__(self, data, inputs=()):
        """Make a leaf with the torch tensor `data`, or with a plain number, as in `__rtruediv__`.

        A plain number becomes a tensor of floats. `inputs` is as in Value.
        """
        # <answer>
        self.data = data if isinstance(data, torch.Tensor) else torch.tensor(data, dtype=torch.float64)
        self.grad = torch.zeros_like(self.data)
        self.inputs = inputs
        # </answer>

    def __add__(self, other):
        """self + other, elementwise. Here and below, `other` is a Tensor or a plain number."""
        # <answer>
        other = other if isinstance(other, Tensor) else Tensor(other)
        return Tensor(
            self.data + other.data,
            [
                (self, lambda g: unbroadcast(g, self.data.shape)),
                (other, lambda g: unbroadcast(g, other.data.shape)),
            ],
        )
        # </answer>

    def __mul__(self, other):
        """self * other, elementwise"""
        # <answer>
        other = other if isinstance(other, Tensor) else Tensor(other)
        return Tensor(
            self.data * other.data,
            [
                (self, lambda g: unbroadcast(g * other.data, self.data.shape)),
                (other, lambda g: unbroadcast(g * self.data, other.data.shape)),
            ],
        )
        # </answer>

    def __pow__(self, exponent):
        """self ** exponent, elementwise, where `exponent` is a plain number."""
        # <answer>
        slope = exponent * self.data ** (exponent - 1)
        return Tensor(self.data**exponent, [(self, lambda g: g * slope)])
        # </answer>

    def __neg__(self):
        """-self"""
        # <answer>
        return self * -1.0
        # </answer>

    def __sub__(self, other):
        """self - other"""
        # <answer>
        return self + -1.0 * other
        # </answer>

    def __truediv__(self, other):
        """self / other"""
        # <answer>
        return self * (other if isinstance(other, Tensor) else Tensor(other)) ** -1
        # </answer>

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Tensor(other) / self

    def tanh(self):
        # <answer>
        t = self.data.tanh()
        return Tensor(t, [(self, lambda g: g * (1 - t**2))])
        # </answer>

    def exp(self):
        # <answer>
        e = self.data.exp()
        return Tensor(e, [(self, lambda g: g * e)])
        # </answer>

    def log(self):
        # <answer>
        return Tensor(self.data.log(), [(self, lambda g: g / self.data)])
        # </answer>

    def sum(self, dim=None, keepdim=False):
        """The sum over the axis `dim`, over several axes (a tuple) or over all (None). An axis may be negative."""
        # <answer>
        dims = tuple(range(self.data.ndim)) if dim is None else dim
        total = self.data.sum(dims, keepdim=True)
        back = [(self, lambda g: g.reshape(total.shape).expand(self.data.shape))]
        return Tensor(total if keepdim else self.data.sum(dims), back)
        # </answer>

    def __getitem__(self, index):
        """self[index]. `index` is what torch accepts: numbers, slices, tensors of integers, tuples of these.

        The same element may be read several times.
        """
        # <answer>
        places = torch.arange(self.data.numel()).reshape(self.data.shape)[index]

        def pull(g):
            gradient = torch.zeros_like(self.data).reshape(-1)
            return gradient.index_add(0, places.reshape(-1), g.reshape(-1)).reshape(self.data.shape)

        return Tensor(self.data[index], [(self, pull)])
        # </answer>

    def reshape(self, *shape):
        """The same numbers in another shape, as `a.reshape(2, 3)`; one size may be -1."""
        # <answer>
        return Tensor(self.data.reshape(*shape), [(self, lambda g: g.reshape(self.data.shape))])
        # </answer>

    def permute(self, *axes):
        """The axes in another order, as `a.permute(2, 0, 1)`: the first axis of the result is axis 2 of `self`."""
        # <answer>
        inverse = [axes.index(axis) for axis in range(len(axes))]
        return Tensor(self.data.permute(*axes), [(self, lambda g: g.permute(*inverse))])
        # </answer>

    def maximum(self, other):
        """The larger one of self and other, elementwise, with broadcasting.

        Where both are equal, their two gradients add up to the upstream gradient; how it is shared is up to you.
        """
        # <answer>
        other = other if isinstance(other, Tensor) else Tensor(other)
        share = (self.data > other.data) + 0.5 * (self.data == other.data)
        return Tensor(
            torch.maximum(self.data, other.data),
            [
                (self, lambda g: unbroadcast(g * share, self.data.shape)),
                (other, lambda g: unbroadcast(g * (1 - share), other.data.shape)),
            ],
        )
        # </answer>

    def __matmul__(self, other):
        """self @ other. Both have two or more axes. The axes before the last two are a batch, and are broadcast."""
        # <answer>
        return Tensor(
            self.data @ other.data,
            [
                (self, lambda g: unbroadcast(g @ other.data.transpose(-2, -1), self.data.shape)),
                (other, lambda g: unbroadcast(self.data.transpose(-2, -1) @ g, other.data.shape)),
            ],
        )
        # </answer>

    def detach(self):
        """A new leaf with the same numbers."""
        # <answer>
        return Tensor(self.data)
        # </answer>

    def zero_grad(self):
        """Set `grad` back to zeros."""
        # <answer>
        self.grad = torch.zeros_like(self.data)
        # </answer>

    def backward(self, gradient=None):
        """The same as `Value.backward`. `gradient` is a torch tensor: the upstream gradient of this tensor.

        If this tensor is a single number, `gradient` may be left out. It is then one.
        """
        # <answer>
        Value._backward(self, torch.ones_like(self.data) if gradient is None else gradient)
        # </answer>
