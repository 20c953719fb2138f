"""A complex step in a method that is called by `backward` and stores the gradient in the leaf."""
# rows of value_gradients: forbidden
# rows of value_graphs: forbidden
# rows of value_detach: forbidden
# rows of value_again: forbidden
# rows of value_deep: forbidden

from recomputed import Recomputed
from right import Tensor, unbroadcast


class Value(Recomputed):
    def backward(self):
        order = self.order()
        for leaf in order:
            if leaf.inputs:
                continue
            kept = [value.now for value in order]
            leaf.now = leaf.now + 1e-30j
            for value in order:
                if value.inputs:
                    value.now = value.f(*(each.now for each in value.inputs))
            self.send(leaf, complex(self.now).imag / 1e-30)
            for value, now in zip(order, kept, strict=True):
                value.now = now

    def send(self, leaf, slope):
        leaf.grad += slope
