"""A difference of a number and an object gives an object whose `data` is an object.

lesson: 18
alone: yes
engine: micrograd
value_forward, value_gradients: passed
value_subtraction: failed | = The `data` of `a - b` is an object of your class `Value`; it should be a plain number.
    Does the method use an operand where it should use the operand's `data`?
others: any
"""


class Value:
    def __sub__(self, other):
        out = Value(self.data - other, (self,))
        def _backward():
            self.grad += out.grad
        out._backward = _backward
        return out
