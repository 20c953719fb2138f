"""No plain number on the right: the error says what it is about.

lesson: 18
by: dojo
alone: yes
engine: micrograd
value_forward, value_gradients, value_graphs, value_detach, value_again, value_deep: passed
value_numbers: error | = AttributeError: 'int' object has no attribute 'data'. A plain number (`int`) has no `data`.
    May that operand be a plain number, as in `a + 3`? Then an object has to be made of it first. Its public example:
    exercises/18_autograd_engine/examples.py:130
others: any
"""


class Value:
    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
