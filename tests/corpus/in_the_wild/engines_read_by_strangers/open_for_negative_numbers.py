"""The slope of relu is one where it should be zero: the gradient's sign has nothing to do with it.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: failed | `c.relu() + b: the gradient of c` is 0; expected 1.
value_graphs: failed | A small expression is wrong, too, so get its row right first: `c.relu() + b: the gradient of c` is 0; expected 1.
value_detach: any
others: any
"""


class Value:
    def relu(self):
        out = Value(max(0, self.data), (self,))
        def _backward():
            self.grad += (self.data < 0) * out.grad
        out._backward = _backward
        return out
