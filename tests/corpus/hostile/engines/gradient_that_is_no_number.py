"""The gradient is an object whose float() is a text."""
# rows of value_gradients: error
# rows of value_graphs: error
# rows of value_detach: error
# rows of value_again: error
# rows of value_deep: error

from right import Tensor, Value, unbroadcast


class NoNumber:
    def __float__(self):
        return "one"

    def __add__(self, other):
        return self


def nothing(self, value):
    pass


Value.grad = property(lambda self: NoNumber(), nothing)
