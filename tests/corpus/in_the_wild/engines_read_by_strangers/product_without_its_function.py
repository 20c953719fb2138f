"""The function of a product is never stored: the direction of the search is right.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: failed | `a * b: the gradient of a` is 0; expected
value_graphs: failed | A small expression is wrong, too, so get its row right first: `a * b: the gradient of a` is 0;
    expected
value_detach, value_again, value_deep: failed
others: any
"""


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        return out
