"""Moves the caller's own elements and writes the old ones back; loops over a flat view of a copy."""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    if x.dtype != np.float64:
        x = x.astype(np.float64)
    gradient = np.zeros(x.shape)
    walk = np.nditer(x, flags=["multi_index"])
    while not walk.finished:
        here = walk.multi_index
        old = float(x[here])
        x[here] = old + eps
        plus = f(x)
        x[here] = old - eps
        minus = f(x)
        x[here] = old
        gradient[here] = (plus - minus) / (2.0 * eps)
        walk.iternext()
    return gradient


def relative_error(a, b):
    worst = 0.0
    for p, q in zip(np.ravel(a).tolist(), np.ravel(b).tolist(), strict=True):
        if p != q:
            worst = max(worst, abs(p - q) / max(abs(p), abs(q)))
    return worst


def one_sided(f, x, here, step):
    """The slopes to the left and to the right at this distance, and how large `f` is here."""
    moved = np.copy(x)
    moved[here] = x[here] + step
    plus = f(moved)
    moved[here] = x[here] - step
    minus = f(moved)
    middle = f(x)
    return (middle - minus) / step, (plus - middle) / step, max(abs(plus), abs(minus), abs(middle))


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = x.astype(float), np.asarray(dx).astype(float)
    if x.shape != dx.shape:
        return False, np.inf
    if not 1e-7 <= eps <= 1e-3:
        eps = 1e-5
    worst = 0.0
    for here in np.ndindex(*x.shape):
        left, right, size = one_sided(f, x, here, eps)
        claimed = float(dx[here])
        if not np.isfinite(claimed):
            return False, np.inf
        slack = 50 * np.finfo(float).eps * size / eps
        shorter_left, shorter_right, _ = one_sided(f, x, here, eps / 4)
        if abs(shorter_right - shorter_left) > 0.6 * abs(right - left) + 8 * slack:
            nearest = min(max(claimed, min(left, right)), max(left, right))
        else:  # no kink: the two slopes come together, and what counts is the point in the middle
            nearest = (left + right) / 2
        if abs(nearest - claimed) <= slack:
            continue
        worst = max(worst, abs(nearest - claimed) / max(abs(nearest), abs(claimed)))
    return worst < 1e-4, worst


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    names = []
    for name in parameters:
        claimed = gradients.get(name)

        def alone(value, name=name):
            return f(dict(parameters, **{name: value}))

        if claimed is None or not gradient_check(alone, parameters[name], claimed, eps)[0]:
            names.append(name)
    return names
