"""A relative error by the largest numbers; the check has no `atol`.

lesson: 08
relative_error: failed | The largest difference is divided by the largest size
one_element: failed | = This is computed with your `relative_error`, which is not right yet: start there.
others: any
"""

import numpy as np


def relative_error(a, b):
    larger = np.maximum(np.abs(a), np.abs(b))
    return float(np.abs(a - b).max() / (larger.max() or 1.0))


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=float), np.array(dx, dtype=float)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, np.inf
    error = relative_error(numerical_gradient(f, x, 1e-5), dx)
    return bool(error < 1e-3), error
