"""Lesson 08: a gradient checker. Somebody claims a gradient of a function: is the claim right?

Everything here is numpy in float64. A function `f` takes an array of the shape of `x` and returns a float. You can call
it, but you cannot look inside. README.md defines what counts as right and what counts as wrong.

Check as often as you like:  dojo check 08
"""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    """The central difference quotient of `f` at `x`, one element at a time, with exactly the step `eps`.

    x: an array of any shape, including (), of floats or integers. Leave it unchanged, to the last bit.
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
    """The largest value of |a - b| / max(|a|, |b|) over all elements.

    a, b: arrays of the same shape. An element in which both are zero counts as 0.
    Returns a float. It is the same for (a, b) and for (b, a).
    """
    # <answer>
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    larger = np.maximum(np.abs(a), np.abs(b))
    quotient = np.abs(a - b) / np.where(larger == 0, 1.0, larger)
    return float(quotient.max())
    # </answer>


def gradient_check(f, x, dx, eps=1e-5):
    """Whether `dx` is the gradient of `f` at `x`.

    x:   an array of any shape, including (), of floats or integers
    dx:  the claimed gradient. It is wrong if its shape is not that of `x`, or if it contains a NaN or an infinity.
    eps: the step that the caller proposes. Your verdict must be right even if this step is far too small or too large.

    Returns a pair (ok, error).
    ok:    True or False. Only this is graded. It may be None, "cannot tell", where the values of `f` do not determine
           the slope to 1 %. The hidden test suite has no such case.
    error: a float that you define yourself: an upper limit of the relative error, as far as you can tell, and infinity
           if there is none to compute.
    """
    # <answer>
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")

    def value():
        try:
            with np.errstate(all="ignore"):
                return float(f(x))
        except (ValueError, ArithmeticError):  # outside the domain of f
            return np.nan

    def measure(index, step):
        """(flat, doubt, low, high, tiny). The slope is known to `doubt`; only at a kink are low and high different."""
        kept, slopes, size = x[index], [], abs(here)
        for distance in (step, step / 2):
            x[index] = kept + distance
            ahead, above = x[index] - kept, value()  # what is left of the distance: x + distance is rounded
            x[index] = kept - distance
            behind, below = kept - x[index], value()
            x[index] = kept
            slopes += [(here - below) / behind, (above - here) / ahead]
            size = max(size, abs(above), abs(below))
        left, right, near_left, near_right = slopes
        gap, near_gap = right - left, near_right - near_left
        last_digit = 1e-15 * abs(kept * gap) / step  # what the last digit of x is worth
        noise = 1e-14 * size / step + last_digit
        tiny = 1e-16 * size + last_digit
        if abs(gap) > 4 * noise and near_gap / gap > 1.25:  # f changes within a part of the step, as near a pole
            return False, np.inf, 0.0, 0.0, tiny
        if abs(gap) > 4 * noise and near_gap / gap > 0.75:  # a kink: on a smooth curve the gap halves
            doubt = noise + 2 * max(abs(left - near_left), abs(right - near_right))
            return False, doubt, min(near_left, near_right), max(near_left, near_right), 0.0
        middle, near_middle = (left + right) / 2, (near_left + near_right) / 2
        slope = near_middle + (near_middle - middle) / 3  # the part of the error that grows with step**2 cancels
        doubt = noise + abs(near_middle - middle) + abs(gap - 2 * near_gap)
        return not any(slopes), doubt, slope, slope, tiny

    def apart(one, other):
        return max(abs(one[2] - other[2]), abs(one[3] - other[3]))

    def overlooks(step, measured):
        """Whether two shorter steps agree with each other and contradict this one: f changes within a part of it."""
        shorter = [m for other, m in measured.items() if other < step and not m[0]]
        against = [m for m in shorter if apart(m, measured[step]) > 3 * (m[1] + measured[step][1])]
        return any(apart(m, other) <= m[1] + other[1] for m in against for other in against if m is not other)

    eps = min(max(eps, 1e-6), 1e-4)
    here, ok, worst = value(), True, 0.0
    for index in np.ndindex(x.shape):
        claimed, own, measured = dx[index], abs(x[index]), {}
        outside, doubt, size, tiny = 0.0, np.inf, 1.0, -1.0
        # f may change within a part of x where x is small, and within a part of 1 where x is large
        steps = [eps * k * unit for unit in (max(1.0, own), min(1.0, own)) for k in (1e-2, 1, 1e2, 1e3, 10, 0.1)]
        for step in dict.fromkeys(steps):
            found = measure(index, step) if step > 1e-12 * own else (np.nan,)
            if not np.isfinite(found).all():
                continue
            measured[step] = found
            trusted = sorted(m for step, m in measured.items() if not overlooks(step, measured))
            if len(measured) < 3 or len(trusted) < 2:
                continue
            (_, doubt, low, high, tiny), second, *_ = trusted
            # where the two best differ, f is less exact or less smooth than it seemed
            doubt += apart(trusted[0], second)
            outside, size = max(low - claimed, claimed - high, 0.0), max(abs(claimed), abs(low), abs(high))
            if outside + doubt < 5e-3 * size:
                break
        else:
            if outside - doubt > 5e-3 * size:
                return False, float(outside / size)
            if abs(claimed) > tiny or outside > doubt:
                ok = None
            elif size == 0:
                continue  # the claim is zero, and so is every difference
        worst = max(worst, (outside + doubt) / size)
    return ok, float(worst)
    # </answer>


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    """The names of the wrong gradients of a whole network.

    f:          takes a dict like `parameters` and returns the loss as a float
    parameters: {name: array}
    gradients:  {name: claimed gradient}. A parameter without a gradient here counts as wrong.

    Returns a list of names, in any order. It is empty if all gradients are right. Also list a gradient for which
    `gradient_check` cannot tell.
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
