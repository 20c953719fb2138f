"""In a sum only the left side gets a gradient: nothing is assigned in the place of an addition.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: failed | = In a sum, only the input on the left gets a gradient. Which inputs move the sum?
value_graphs: failed | = In a sum, only the input on the left gets a gradient. Which inputs move the sum?
value_detach: failed | = In a sum, only the input on the left gets a gradient. Which inputs move the sum?
value_again: failed | = In a sum, only the input on the left gets a gradient. Which inputs move the sum?
others: any
"""


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        def _backward():
            self.grad += out.grad
        out._backward = _backward
        return out
