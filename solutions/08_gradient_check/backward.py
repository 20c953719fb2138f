"""Lesson 08: a gradient checker. Is the gradient that somebody claims the gradient of this function?

Everything here is numpy in float64. A function `f` takes an array of the shape of `x` and returns a float; all that you
can do with it is to call it. README.md says what counts as right and what as wrong.

Check as often as you like:  dojo check 08
"""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    """The central difference quotient of `f` at `x`, one element at a time, with the step `eps` and no other.

    x: an array of any shape, also () and of integers; the same to the last bit when you return.
    Returns a float64 array of the shape of `x`.
    """
    # <answer>
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        kept = x[index]
        x[index] = kept + eps
        above = f(x)
        x[index] = kept - eps
        below = f(x)
        x[index] = kept
        gradient[index] = (above - below) / (2 * eps)
    return gradient
    # </answer>


def relative_error(a, b):
    """The largest over all elements of |a - b| / max(|a|, |b|).

    a, b: arrays of one shape. An element in which both are zero counts as 0.
    Returns a float. The same for (a, b) as for (b, a).
    """
    # <answer>
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    larger = np.maximum(np.abs(a), np.abs(b))
    quotient = np.abs(a - b) / np.where(larger == 0, 1.0, larger)
    return float(quotient.max())
    # </answer>


def gradient_check(f, x, dx, eps=1e-5):
    """Whether `dx` is the gradient of `f` at `x`.

    x:   an array of any shape, also () and of integers
    dx:  the claimed gradient. One of another shape than `x` is wrong, and so is one with a NaN or an infinity in it.
    eps: the step that the caller proposes. The verdict must be right even if it is far too small or too large.

    Returns a pair (ok, error). ok: True or False; this is what is graded. error: a float, the relative error that you
    found (infinity where there is none to compute); yours to define.
    """
    # <answer>
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")
    eps = min(max(eps, 1e-6), 1e-4)
    here, worst = f(x), 0.0
    for index in np.ndindex(x.shape):
        kept, step = x[index], eps * max(1.0, abs(x[index]))
        x[index] = kept + step
        above = f(x)
        x[index] = kept - step
        below = f(x)
        x[index] = kept + 2 * step
        far_above = f(x)
        x[index] = kept - 2 * step
        far_below = f(x)
        x[index] = kept
        left, right = (here - below) / step, (above - here) / step
        low, high = min(left, right), max(left, right)
        outside = max(low - dx[index], dx[index] - high, 0.0)
        noise = 1e-14 * max(abs(above), abs(here), abs(below)) / step
        noise += abs((far_above - far_below) / 2 - (above - below)) / (2 * step)  # truncation: x**3 at 0
        if outside > noise:
            worst = max(worst, outside / max(abs(dx[index]), abs(low), abs(high)))
    return bool(worst < 1e-3), float(worst)
    # </answer>


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    """Checks the gradients of a whole network: the names of the wrong ones.

    f:          takes a dict like `parameters` and returns the loss as a float
    parameters: {name: array}
    gradients:  {name: claimed gradient}. A parameter that has none here counts as wrong.

    Returns a list of names, in the order of `parameters`; an empty one if all is well.
    """
    # <answer>
    wrong = []
    for name, value in parameters.items():
        if name not in gradients:
            wrong.append(name)
            continue

        def loss_of(changed, name=name):
            return f({**parameters, name: changed})

        ok, _ = gradient_check(loss_of, value, gradients[name], eps)
        if not ok:
            wrong.append(name)
    return wrong
    # </answer>
