"""Every number and every gradient is how often one was asked for."""

# lesson: 18
# failed: value_forward, value_gradients, value_graphs, value_detach, value_again, unbroadcast
# failed: tensor_elementwise, tensor_broadcasting, tensor_sum, tensor_reshape, tensor_maximum, tensor_matmul
# failed: tensor_getitem, tensor_permute, tensor_graphs, network, tensor_deep, value_deep
# failed: value_numbers, value_reflected, value_negation, value_subtraction, value_division, value_power, value_tanh
# failed: value_exp, value_relu, value_zero_grad, tensor_numbers, tensor_reflected, tensor_negation
# failed: tensor_subtraction, tensor_division, tensor_power, tensor_tanh, tensor_exp, tensor_log
# failed: tensor_detach, tensor_again, tensor_zero_grad
import itertools

import torch

asked = itertools.count(1)


class Value:
    def __init__(self, data):
        self.shape = getattr(data, "shape", None)

    def next(self):
        number = float(next(asked))
        return number if self.shape is None else torch.full(self.shape, number, dtype=torch.float64)

    data = grad = property(next, lambda self, value: None)

    def same(self, *arguments, **keywords):
        return self

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = same
    __pow__ = __neg__ = __getitem__ = __matmul__ = tanh = exp = log = relu = detach = same
    reshape = permute = maximum = zero_grad = backward = same

    def sum(self, *arguments, **keywords):
        return type(self)(0.0)


class Tensor(Value):
    pass


def unbroadcast(gradient, shape):
    return torch.full(shape, float(next(asked)), dtype=gradient.dtype)
