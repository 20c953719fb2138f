"""The simplest that does: a central difference, and the slopes to both sides only where there is a kink."""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        kept = x[index]
        x[index] = kept + eps
        above = f(x)
        x[index] = kept - eps
        below = f(x)
        x[index] = kept
        gradient[index] = (above - below) / (2 * eps)
    return gradient


def relative_error(a, b):
    larger = np.maximum(np.abs(a), np.abs(b))
    return np.max(np.abs(a - b) / np.where(larger > 0, larger, 1))


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")
    eps = min(max(eps, 1e-6), 1e-4)
    here, worst = f(x), 0.0
    for index in np.ndindex(x.shape):
        kept, step = x[index], eps * max(1.0, abs(x[index]))
        slopes, noise = [], 1e-14 * abs(here) / step
        for distance in (step, step / 2):
            x[index] = kept + distance
            above = f(x)
            x[index] = kept - distance
            below = f(x)
            x[index] = kept
            slopes += [(here - below) / distance, (above - here) / distance]
            noise = max(noise, 1e-14 * max(abs(above), abs(below)) / step)
        left, right, near_left, near_right = slopes
        low = high = (near_left + near_right) / 2
        if abs(near_right - near_left) > 0.75 * abs(right - left) + 4 * noise:
            low, high = min(left, right), max(left, right)
        outside = max(low - dx[index], dx[index] - high, 0.0)
        if outside > noise:
            worst = max(worst, outside / max(abs(dx[index]), abs(low), abs(high)))
    return bool(worst < 1e-3), float(worst)


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    wrong = []
    for name, value in parameters.items():
        ok = name in gradients
        if ok:
            ok, _ = gradient_check(lambda changed, n=name: f({**parameters, n: changed}), value, gradients[name], eps)
        if not ok:
            wrong.append(name)
    return wrong
