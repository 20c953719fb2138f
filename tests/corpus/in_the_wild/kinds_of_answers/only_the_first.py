"""A checker that returns its verdict without the error.

lesson: 08
factors: shape | expected a tuple of 2.
others: any
"""

import numpy as np


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=float), np.array(dx, dtype=float)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, np.inf
    error = relative_error(numerical_gradient(f, x, 1e-5), dx)
    return bool(error < 1e-3)
