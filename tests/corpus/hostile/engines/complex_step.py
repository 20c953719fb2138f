"""Evaluates the graph again with a small imaginary part in each leaf."""
# rows of value_gradients: forbidden
# rows of value_graphs: forbidden
# rows of value_detach: forbidden
# rows of value_again: forbidden
# rows of value_deep: forbidden
# rows of value_numbers: forbidden
# rows of value_reflected: forbidden
# rows of value_negation: forbidden
# rows of value_subtraction: forbidden
# rows of value_division: forbidden
# rows of value_power: forbidden
# rows of value_tanh: forbidden
# rows of value_exp: forbidden
# rows of value_relu: forbidden
# rows of value_zero_grad: forbidden

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
            leaf.grad += complex(self.now).imag / 1e-30
            for value, now in zip(order, kept, strict=True):
                value.now = now
