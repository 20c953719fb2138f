"""Two steps, one half of the other: what they agree on is the slope. Vectorised over the elements of each claim."""

import numpy as np


def differences(f, x, eps):
    """f(x + eps) and f(x - eps) for every element, as two arrays of the shape of x."""
    base = np.array(x, dtype=np.float64)
    above, below = np.zeros_like(base), np.zeros_like(base)
    for index in np.ndindex(base.shape):
        for sign, values in ((1, above), (-1, below)):
            point = base.copy()
            point[index] = point[index] + sign * eps
            values[index] = f(point)
    return above, below


def numerical_gradient(f, x, eps=1e-5):
    above, below = differences(f, x, eps)
    return (above - below) * (0.5 / eps)


def relative_error(a, b):
    a, b = np.abs(np.asarray(a - b)), np.maximum(np.abs(a), np.abs(b))
    return float(np.max(a / np.where(b > 0, b, np.inf)))


def gradient_check(f, x, dx, eps=1e-5):
    dx = np.array(dx, dtype=np.float64)
    if dx.shape != np.shape(x) or not np.isfinite(dx).all():
        return False, float("inf")
    here = f(np.array(x, dtype=np.float64))
    best_low = best_high = best_gap = None
    for step in (2e-5, 1e-5):
        above, below = differences(f, x, step)
        right, left = (above - here) / step, (here - below) / step
        low, high = np.minimum(left, right), np.maximum(left, right)
        if best_gap is None:
            best_low, best_high, best_gap = low, high, high - low
        else:
            nearer = high - low < best_gap
            best_low, best_high = np.where(nearer, low, best_low), np.where(nearer, high, best_high)
    noise = 2e-9 * abs(here)
    outside = np.maximum(np.maximum(best_low - dx, dx - best_high) - noise, 0)
    error = relative_error(outside + np.abs(dx), np.abs(dx)) if np.all(np.abs(dx) > 0) else 0.0
    size = np.maximum(np.maximum(np.abs(best_low), np.abs(best_high)), np.abs(dx))
    bad = outside > 1e-3 * size
    return not bad.any(), error


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    def is_wrong(name):
        if name not in gradients:
            return True

        def loss(value):
            trial = dict(parameters)
            trial[name] = value
            return f(trial)

        return not gradient_check(loss, parameters[name], gradients[name], eps)[0]

    return list(filter(is_wrong, parameters))
