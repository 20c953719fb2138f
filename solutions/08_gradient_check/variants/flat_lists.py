"""Plain Python numbers in flat lists; the step follows the size of the element; a kink is a gap that does not halve."""

import math

import numpy as np


def caller(f, x):
    flat, shape = np.asarray(x, dtype=float).ravel().tolist(), np.shape(x)

    def value(index, by):
        numbers = list(flat)
        numbers[index] += by
        return float(f(np.array(numbers).reshape(shape)))

    return flat, shape, value


def numerical_gradient(f, x, eps=1e-5):
    flat, shape, value = caller(f, x)
    return np.array([(value(i, eps) - value(i, -eps)) / (2 * eps) for i in range(len(flat))]).reshape(shape)


def relative_error(a, b):
    def one(p, q):
        return 0.0 if p == q == 0 else abs(p - q) / max(abs(p), abs(q))

    return max(one(p, q) for p, q in zip(np.ravel(a), np.ravel(b), strict=True))


def gradient_check(f, x, dx, eps=1e-5):
    flat, shape, value = caller(f, x)
    if np.shape(dx) != shape:
        return [False, math.inf]
    worst = 0.0
    for i, claimed in enumerate(np.ravel(dx).tolist()):
        step = 1e-6 * max(1.0, abs(flat[i]))
        above, here, below = value(i, step), value(i, 0.0), value(i, -step)
        noise = 1e-14 * max(abs(above), abs(below)) / step
        left, middle, right = (here - below) / step, (above - below) / (2 * step), (above - here) / step
        half_gap = (value(i, step / 2) + value(i, -step / 2) - 2 * here) / (step / 2)
        if abs(half_gap) > 0.7 * abs(right - left) + 4 * noise:  # a kink: a smooth curve's would be half as large
            room = 1e-3 * max(abs(left), abs(right))
            fine = min(left, right) - room <= claimed <= max(left, right) + room
            error = 0.0 if fine else 1.0
        elif abs(middle - claimed) <= noise:
            error = 0.0
        else:
            error = abs(middle - claimed) / max(abs(middle), abs(claimed))
        if not error <= 1e-3:  # a NaN is no small error
            return [False, error]
        worst = max(worst, error)
    return [True, worst]


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    wrong = set()
    for name in parameters:
        others = {key: value for key, value in parameters.items() if key != name}
        if name in gradients:
            ok, _ = gradient_check(
                lambda value, n=name, o=others: f({n: value, **o}), parameters[name], gradients[name]
            )
            if ok:
                continue
        wrong.add(name)
    return [name for name in parameters if name in wrong]
