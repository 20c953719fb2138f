"""Lesson 05: a layer."""
# lesson: 05

# === objects_for_tensors: A layer whose every value is a module, a type or an exception.
# rows of forward, backward, running_statistics, evaluation, evaluation_backward: shape

import math


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.running_mean = math
        self.running_var = ValueError("no variance")

    def forward(self, x, training=True):
        return type

    def backward(self, dout):
        return Ellipsis
