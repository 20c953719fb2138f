"""Two steps, one half of the other, extrapolated to none. Vectorised over the elements of each claim."""

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
    rights, lefts = [], []
    for step in (2e-5, 1e-5):
        above, below = differences(f, x, step)
        rights.append((above - here) / step)
        lefts.append((here - below) / step)
    # a slope to one side is wrong by about step / 2 times the curvature: this cancels
    left, right = 2 * lefts[1] - lefts[0], 2 * rights[1] - rights[0]
    best_low, best_high = np.minimum(left, right), np.maximum(left, right)
    noise = 4e-9 * abs(here)
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
