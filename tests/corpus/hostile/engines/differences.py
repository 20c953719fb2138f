"""Evaluates the graph again with each leaf moved up and down."""
# rows of value_gradients: forbidden
# rows of value_graphs: failed
# rows of value_detach: forbidden
# rows of value_again: forbidden
# rows of value_deep: failed

from recomputed import Recomputed
from right import Tensor, unbroadcast


class Value(Recomputed):
    def backward(self):
        order = self.order()
        for leaf in order:
            if leaf.inputs:
                continue
            kept = [value.now for value in order]
            leaf.now = leaf.now + 1e-6
            for value in order:
                if value.inputs:
                    value.now = value.f(*(each.now for each in value.inputs))
            up = self.now
            leaf.now = leaf.now - 2e-6
            for value in order:
                if value.inputs:
                    value.now = value.f(*(each.now for each in value.inputs))
            leaf.grad += (complex(up).real - complex(self.now).real) / 2e-6
            for value, now in zip(order, kept, strict=True):
                value.now = now
