"""The first row of lesson 18 needs the numbers alone: the rest of the class may still be the stub.

lesson: 18
by: both
alone: yes
value_forward: passed
others: todo
"""

import math


class Value:
    def __init__(self, data, inputs=()):
        self.data = data
        self.grad = 0.0

    def number(self, other):
        return other.data if isinstance(other, Value) else other

    def __add__(self, other):
        return Value(self.data + self.number(other))

    def __mul__(self, other):
        return Value(self.data * self.number(other))

    def __pow__(self, exponent):
        return Value(self.data**exponent)

    def __neg__(self):
        return Value(-self.data)

    def __sub__(self, other):
        return Value(self.data - self.number(other))

    def __truediv__(self, other):
        return Value(self.data / self.number(other))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Value(other) / self

    def tanh(self):
        return Value(math.tanh(self.data))

    def exp(self):
        return Value(math.exp(self.data))

    def relu(self):
        return Value(max(0.0, self.data))

    def detach(self):
        raise NotImplementedError

    def zero_grad(self):
        raise NotImplementedError

    def backward(self):
        # TODO: replace the next line by your own
        raise NotImplementedError


def unbroadcast(gradient, shape):
    raise NotImplementedError


class Tensor:
    def __init__(self, data, inputs=()):
        raise NotImplementedError
