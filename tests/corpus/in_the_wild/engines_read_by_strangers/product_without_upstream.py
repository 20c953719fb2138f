"""A product leaves out the upstream gradient: no row speaks of the order of the search.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: failed | = These are the local derivatives of a product. The upstream gradient is missing.
value_graphs: failed | = These are the local derivatives of a product. The upstream gradient is missing.
value_detach: failed | = These are the local derivatives of a product. The upstream gradient is missing.
value_again: failed | = These are the local derivatives of a product. The upstream gradient is missing.
others: any
"""


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data
            other.grad += self.data
        out._backward = _backward
        return out
