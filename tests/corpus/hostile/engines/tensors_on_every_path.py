"""`Value` visits each value once, but `Tensor` walks along every path of a graph."""
# rows of tensor_deep: failed

import torch
from right import Tensor, Value, unbroadcast


def backward(self, gradient=None):
    waiting = [(self, torch.ones_like(self.data) if gradient is None else gradient)]
    while waiting:
        value, upstream = waiting.pop()
        if not value.inputs:
            value.grad = value.grad + upstream
        waiting += [(each, send(upstream)) for each, send in value.inputs]


Tensor.backward = backward
