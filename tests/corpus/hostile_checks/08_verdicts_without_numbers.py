"""Answers with object arrays, NaN and tensors of 60 dimensions."""
# lesson: 08
# rows of numerical_gradient: shape
# rows of relative_error: shape
# rows of factors: failed
# rows of one_element: failed
# rows of shapes: failed
# rows of scales: failed
# rows of zero_gradients: failed
# rows of kinks: failed
# rows of bad_eps: failed
# rows of wrong_gradients: failed
# rows of leaves_x_unchanged: shape

import numpy as np
import torch


def numerical_gradient(f, x, eps=1e-5):
    return np.array([None, "a"], dtype=object)


def relative_error(a, b):
    return torch.ones([1] * 60)


def gradient_check(f, x, dx, eps=1e-5):
    return float("nan"), torch.ones([2] * 20)


def wrong_gradients(f, parameters, gradients):
    return [torch.ones([2] * 20)]
