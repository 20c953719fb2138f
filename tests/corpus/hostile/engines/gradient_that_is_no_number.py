"""The gradient is an object whose float() is a text."""
# rows of value_gradients: error
# rows of value_graphs: error
# rows of value_detach: error
# rows of value_again: error
# rows of value_deep: error
# rows of value_numbers: failed
# rows of value_reflected: failed
# rows of value_negation: failed
# rows of value_subtraction: failed
# rows of value_division: failed
# rows of value_power: failed
# rows of value_tanh: failed
# rows of value_exp: failed
# rows of value_relu: failed
# rows of value_zero_grad: error

from right import Tensor, Value, unbroadcast


class NoNumber:
    def __float__(self):
        return "one"

    def __add__(self, other):
        return self


def nothing(self, value):
    pass


Value.grad = property(lambda self: NoNumber(), nothing)
