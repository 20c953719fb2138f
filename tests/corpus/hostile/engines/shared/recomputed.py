"""A `Value` without a backward pass; it keeps what is needed in order to evaluate the graph again with other leaves."""

import cmath


class Recomputed:
    def __init__(self, data, inputs=(), f=None):
        self.now, self.inputs, self.f, self.grad = data, inputs, f, 0.0

    @property
    def data(self):
        return complex(self.now).real

    @classmethod
    def node(cls, f, *inputs):
        inputs = [each if isinstance(each, cls) else cls(each) for each in inputs]
        return cls(f(*(each.now for each in inputs)), inputs, f)

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

    def __add__(self, other):
        return self.node(lambda x, y: x + y, self, other)

    def __mul__(self, other):
        return self.node(lambda x, y: x * y, self, other)

    def __pow__(self, exponent):
        return self.node(lambda x: x**exponent, self)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self.node(lambda x, y: x - y, self, other)

    def __truediv__(self, other):
        return self.node(lambda x, y: x / y, self, other)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return type(self)(other) / self

    def tanh(self):
        return self.node(cmath.tanh, self)

    def exp(self):
        return self.node(cmath.exp, self)

    def relu(self):
        return self.node(lambda x: x if complex(x).real > 0 else 0 * x, self)

    def detach(self):
        return type(self)(self.data)

    def zero_grad(self):
        self.grad = 0.0
