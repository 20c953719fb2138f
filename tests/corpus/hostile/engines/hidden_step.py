"""A complex step whose size has a name and is made by complex()."""
# rows of value_gradients: forbidden
# rows of value_graphs: forbidden
# rows of value_detach: forbidden
# rows of value_again: forbidden
# rows of value_deep: forbidden

from recomputed import Recomputed
from right import Tensor, unbroadcast

STEP = 2.0**-90


class Value(Recomputed):
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
