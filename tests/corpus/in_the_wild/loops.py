# === return_in_a_numerical_gradient: A gradient checker returns after the first element.
# lesson: 08
# numerical_gradient: failed | = `return gradient` is inside of the loop, so the function ends in the loop's first
#     round. After the loop, with less indentation, `numerical_gradient` is right.
# leaves_x_unchanged: failed | `return gradient` is inside of the loop
# factors: failed | = This is computed with your `numerical_gradient`, which is not right yet: start there.
# others: any

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        old = x[index]
        x[index] = old + eps
        above = f(x)
        x[index] = old - eps
        gradient[index] = (above - f(x)) / (2 * eps)
        x[index] = old
        return gradient


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=float), np.array(dx, dtype=float)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, np.inf
    error = relative_error(numerical_gradient(f, x, 1e-5), dx)
    return bool(error < 1e-3), error
