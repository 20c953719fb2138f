"""Lesson 08: a gradient checker."""
# lesson: 08

# === verdicts_without_numbers: Answers with object arrays, NaN and tensors of 60 dimensions.
# rows of numerical_gradient, relative_error, leaves_x_unchanged: shape
# rows of factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps, wrong_gradients: failed

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
