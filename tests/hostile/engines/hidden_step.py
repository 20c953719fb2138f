"""A complex step whose size has a name and is made by complex()."""
# rows of value_gradients: forbidden
# rows of value_graphs: forbidden
# rows of value_detach: forbidden
# rows of value_again: forbidden
# rows of value_deep: forbidden

import cmath

from right import Tensor, unbroadcast

STEP = 2.0**-90


class Value:
    def __init__(self, data, inputs=(), f=None):
        self.now, self.inputs, self.f, self.grad = data, inputs, f, 0.0

    @property
    def data(self):
        return complex(self.now).real

    @staticmethod
    def node(f, *inputs):
        inputs = [each if isinstance(each, Value) else Value(each) for each in inputs]
        return Value(f(*(each.now for each in inputs)), inputs, f)

    def order(self):
        found, todo, seen = [], [(self, False)], set()
        while todo:
            value, done = todo.pop()
            if done:
                found.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                todo.append((value, True))
                todo += [(each, False) for each in value.inputs]
        return found

    def backward(self):
        order = self.order()
        for leaf in order:
            if leaf.inputs:
                continue
            kept = [value.now for value in order]
            leaf.now = leaf.now + complex(0, STEP)
            for value in order:
                if value.inputs:
                    value.now = value.f(*(each.now for each in value.inputs))
            leaf.grad += complex(self.now).imag * (1 / STEP)
            for value, now in zip(order, kept, strict=True):
                value.now = now

    def __add__(self, other):
        return Value.node(lambda x, y: x + y, self, other)

    def __mul__(self, other):
        return Value.node(lambda x, y: x * y, self, other)

    def __pow__(self, exponent):
        return Value.node(lambda x: x**exponent, self)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return Value.node(lambda x, y: x - y, self, other)

    def __truediv__(self, other):
        return Value.node(lambda x, y: x / y, self, other)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Value(other) / self

    def tanh(self):
        return Value.node(cmath.tanh, self)

    def exp(self):
        return Value.node(cmath.exp, self)

    def relu(self):
        return Value.node(lambda x: x if complex(x).real > 0 else 0 * x, self)

    def detach(self):
        return Value(self.data)

    def zero_grad(self):
        self.grad = 0.0
