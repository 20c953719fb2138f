"""Unit vectors in place of a loop over indices; the central difference, with half of a kink's gap as tolerance."""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    x = np.asarray(x, dtype=np.float64)
    steps = eps * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(f(x + step) - f(x - step)) / (2 * eps) for step in steps]).reshape(x.shape)


def relative_error(a, b):
    sizes = np.maximum(np.abs(a), np.abs(b))
    quotient = np.divide(np.abs(np.subtract(a, b)), sizes, out=np.zeros(np.shape(sizes)), where=sizes > 0)
    return np.max(quotient)


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.asarray(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if x.shape != dx.shape or not np.all(np.isfinite(dx)):
        return (False, float("inf"))
    eps = float(np.clip(eps, 1e-7, 1e-4))
    here = f(x)
    steps = eps * np.eye(x.size).reshape(x.size, *x.shape)
    above = np.array([f(x + step) for step in steps]).reshape(x.shape)
    below = np.array([f(x - step) for step in steps]).reshape(x.shape)
    slope, gap = (above - below) / (2 * eps), np.abs(above - 2 * here + below) / eps
    half = np.array([f(x + step / 2) - 2 * here + f(x - step / 2) for step in steps]).reshape(x.shape)
    gap = np.where(np.abs(half) / (eps / 2) > 0.75 * gap, gap, 0)  # on a smooth curve it halves
    noise = 1e-14 * (np.abs(above) + np.abs(below)) / eps
    excess = np.maximum(np.abs(slope - dx) - gap / 2 - noise, 0.0)
    larger = np.maximum(np.abs(slope), np.abs(dx))
    error = np.max(np.divide(excess, larger, out=np.zeros(x.shape), where=excess > 0))
    return bool(error <= 2e-3), float(error)


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    def right(name):
        return gradient_check(lambda value: f({**parameters, name: value}), parameters[name], gradients[name], eps)[0]

    return [name for name in parameters if name not in gradients or not right(name)]
