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
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __add__(self, other):
        """self + other. Here and below, `other` is a Value or a plain number."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __mul__(self, other):
        """self * other"""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __pow__(self, exponent):
        """self ** exponent, where `exponent` is a plain number."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __neg__(self):
        """-self"""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __sub__(self, other):
        """self - other"""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __truediv__(self, other):
        """self / other"""
        # TODO: replace the next line by your own
        raise NotImplementedError

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
        # TODO: replace the next line by your own
        raise NotImplementedError

    def exp(self):
        # TODO: replace the next line by your own
        raise NotImplementedError

    def relu(self):
        """max(0, self). Where self is exactly 0, its slope may be 0 or 1."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def detach(self):
        """A new leaf with the same number: no gradient goes back through it to `self`."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def zero_grad(self):
        """Set `grad` back to zero."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def backward(self):
        """Add the gradient of this value with respect to each leaf to the `grad` of that leaf.

        It can be called again, for this value or for another one; `grad` is then the sum of all calls. If this value
        is a leaf itself, its own gradient is one. A graph may be deeper than Python's recursion limit.
        """
        # TODO: replace the next line by your own
        raise NotImplementedError


def unbroadcast(gradient, shape):
    """The gradient of a tensor of shape `shape` that was broadcast to the shape of `gradient`.

    gradient: a torch tensor; it is left as it is. Returns a torch tensor of shape `shape`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


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
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __add__(self, other):
        """self + other, elementwise. Here and below, `other` is a Tensor or a plain number."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __mul__(self, other):
        """self * other, elementwise"""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __pow__(self, exponent):
        """self ** exponent, elementwise, where `exponent` is a plain number."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __neg__(self):
        """-self"""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __sub__(self, other):
        """self - other"""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __truediv__(self, other):
        """self / other"""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Tensor(other) / self

    def tanh(self):
        # TODO: replace the next line by your own
        raise NotImplementedError

    def exp(self):
        # TODO: replace the next line by your own
        raise NotImplementedError

    def log(self):
        # TODO: replace the next line by your own
        raise NotImplementedError

    def sum(self, dim=None, keepdim=False):
        """The sum over the axis `dim`, over several axes (a tuple) or over all (None). An axis may be negative."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __getitem__(self, index):
        """self[index]. `index` is what torch accepts: numbers, slices, tensors of integers, tuples of these.

        The same element may be read several times.
        """
        # TODO: replace the next line by your own
        raise NotImplementedError

    def reshape(self, *shape):
        """The same numbers in another shape, as `a.reshape(2, 3)`; one size may be -1."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def permute(self, *axes):
        """The axes in another order, as `a.permute(2, 0, 1)`: the first axis of the result is axis 2 of `self`."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def maximum(self, other):
        """The larger one of self and other, elementwise, with broadcasting.

        Where both are equal, their two gradients add up to the upstream gradient; how it is shared is up to you.
        """
        # TODO: replace the next line by your own
        raise NotImplementedError

    def __matmul__(self, other):
        """self @ other. Both have two or more axes. The axes before the last two are a batch, and are broadcast."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def detach(self):
        """A new leaf with the same numbers."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def zero_grad(self):
        """Set `grad` back to zeros."""
        # TODO: replace the next line by your own
        raise NotImplementedError

    def backward(self, gradient=None):
        """The same as `Value.backward`. `gradient` is a torch tensor: the upstream gradient of this tensor.

        If this tensor is a single number, `gradient` may be left out. It is then one.
        """
        # TODO: replace the next line by your own
        raise NotImplementedError
