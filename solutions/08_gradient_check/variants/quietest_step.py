"""Judges its own steps: of a ladder that starts at the proposed one, the step with the smallest expected error wins."""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    x = np.array(x, dtype=np.float64)
    flat, gradient = x.reshape(-1), np.zeros(x.size)
    for i in range(x.size):
        old = flat[i]
        flat[i] = old + eps
        gradient[i] = f(x)
        flat[i] = old - eps
        gradient[i] -= f(x)
        flat[i] = old
    return gradient.reshape(x.shape) / (eps + eps)


def relative_error(a, b):
    a, b = np.ravel(a), np.ravel(b)
    larger = np.where(np.abs(a) > np.abs(b), np.abs(a), np.abs(b))
    with np.errstate(invalid="ignore"):
        return float(np.nan_to_num(np.abs(a - b) / larger, nan=0.0).max())


def measured(f, x, index, eps):
    """(low, high, noise) from the step whose noise and curvature together are smallest."""
    ladder = [h for h in (eps, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7) if 1e-8 < h < 1e-2]
    here, best = f(x), None
    for h in ladder:
        step = np.zeros_like(x)
        step[index] = h
        above, below = f(x + step), f(x - step)
        left, right = (here - below) / h, (above - here) / h
        nearer = (f(x + step / 10) + f(x - step / 10) - 2 * here) / (h / 10)
        noise = 20 * 2.2e-16 * max(abs(here), abs(above), abs(below)) / h
        doubt = noise + abs(right - left)
        if abs(nearer) < 0.5 * abs(right - left) + 20 * noise:  # no kink
            left = right = (left + right) / 2
        if best is None or doubt < best[0]:
            best = doubt, min(left, right), max(left, right), noise
    return best[1:]


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.asarray(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if x.shape != dx.shape or np.isnan(dx).any() or np.isinf(dx).any():
        return False, float("inf")
    error = 0.0
    for index in np.ndindex(x.shape):
        low, high, noise = measured(f, x, index, eps)
        away = max(0.0, low - noise - dx[index], dx[index] - noise - high)
        if away:
            error = max(error, away / max(abs(low), abs(high), abs(dx[index])))
    return np.bool_(error < 3e-3), np.float64(error)


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    wrong = []
    for name, value in parameters.items():
        try:
            ok, _ = gradient_check(lambda new, name=name: f({**parameters, name: new}), value, gradients[name], eps)
        except KeyError:
            ok = False
        if not ok:
            wrong.append(name)
    return wrong
