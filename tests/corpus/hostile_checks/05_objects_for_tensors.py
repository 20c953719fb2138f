"""A layer whose every value is a module, a type or an exception."""
# lesson: 05
# rows of forward: shape
# rows of backward: shape
# rows of running_statistics: shape
# rows of evaluation: shape
# rows of evaluation_backward: shape

import math


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.running_mean = math
        self.running_var = ValueError("no variance")

    def forward(self, x, training=True):
        return type

    def backward(self, dout):
        return Ellipsis
