"""Ignores the proposed step: measures with several and takes the median of what they say."""

import statistics

import numpy as np

STEPS = (1e-4, 3e-5, 1e-5, 3e-6, 1e-6)


def moved(x, index, by):
    x = np.array(x, dtype=np.float64)
    x[index] += by
    return x


def numerical_gradient(f, x, eps=1e-5):
    gradient = np.empty(np.shape(x), dtype=np.float64)
    for index, _ in np.ndenumerate(x):
        gradient[index] = (f(moved(x, index, eps)) - f(moved(x, index, -eps))) / eps / 2
    return gradient


def relative_error(a, b):
    difference, size = np.abs(a - b), np.fmax(np.abs(a), np.abs(b))
    size[difference == 0] = 1
    return (difference / size).max()


def slopes(f, x, index):
    here = f(np.array(x, dtype=np.float64))
    rights = [(f(moved(x, index, step)) - here) / step for step in STEPS]
    lefts = [(here - f(moved(x, index, -step))) / step for step in STEPS]
    noise = 1e-8 * abs(here) + 1e-300
    gaps = [right - left for left, right in zip(lefts, rights, strict=True)]
    if abs(gaps[-1]) < abs(gaps[0]) / 4 + 2 * noise:  # a hundredth of the step, and the gap has shrunk: smooth
        middle = statistics.median((left + right) / 2 for left, right in zip(lefts, rights, strict=True))
        return (middle, middle), noise
    return sorted((statistics.median(lefts), statistics.median(rights))), noise


def gradient_check(f, x, dx, eps=1e-5):
    if np.shape(dx) != np.shape(x):
        return False, float("inf")
    errors = [0.0]
    for index, claimed in np.ndenumerate(dx):
        (low, high), noise = slopes(f, x, index)
        if low - noise <= claimed <= high + noise:
            continue
        distance = min(abs(low - claimed), abs(high - claimed))
        errors.append(distance / max(abs(low), abs(high), abs(claimed)) if np.isfinite(claimed) else float("inf"))
    return max(errors) < 1e-3, max(errors)


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    found = []
    for name, value in parameters.items():
        claimed = gradients.get(name)
        if claimed is None or not gradient_check(lambda v, n=name: f(parameters | {n: v}), value, claimed)[0]:
            found += [name]
    return tuple(found)
