"""Known mistakes of lesson 08. verdicts.py has the questions about wrong verdicts of `gradient_check`."""

import numpy as np

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[numerical_gradient]
- gradient[index] = (above - below) / (2 * eps)
forward_difference: gradient[index] = (above - f(x)) / eps
    This is the forward difference, (f(x + eps) - f(x)) / eps. Its error grows with eps, that of the central one with
    eps squared: at eps = 1e-5 that is five digits lost.
backward_difference: gradient[index] = (f(x) - below) / eps
    This is the backward difference, (f(x) - f(x - eps)) / eps. The central one takes one step to each side.
not_halved: gradient[index] = (above - below) / eps
    Every slope is twice as large as it should be. How far apart are the two points at which f is called?
lower_point_is_x: gradient[index] = (above - f(x)) / (2 * eps)
    Every slope is half of a forward difference: the lower point is x itself. Does your second step start from the old
    value, or from x + eps?

[numerical_gradient]
own_eps:
        x = np.array(x, dtype=np.float64)
        gradient = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[index] = 1e-5
            gradient[index] = (f(x + step) - f(x - step)) / 2e-5
        gradient
    The step is not the eps that is given: even with a large one, the slopes are those of a small step. This function
    uses the caller's step and no other; a poor step is `gradient_check`'s business.
all_at_once: x = np.array(x, dtype=np.float64); np.full(x.shape, (f(x + eps) - f(x - eps)) / (2 * eps))
    All elements are moved at once, so every entry is the sum of all slopes. Move one element at a time.
by_rows:
        x = np.array(x, dtype=np.float64)
        rows = x.reshape(1) if x.ndim == 0 else x
        gradient = np.zeros_like(rows)
        for i in range(len(rows)):
            kept = rows[i].copy()
            rows[i] = kept + eps
            above = f(x)
            rows[i] = kept - eps
            below = f(x)
            rows[i] = kept
            gradient[i] = (above - below) / (2 * eps)
        gradient.reshape(x.shape)
    A whole row is moved at once: `x[i]` of a table is a row. Run over all indices, with `np.ndindex(x.shape)`, say,
    or over a flat view.
float32:
        x = np.array(x, dtype=np.float32)
        gradient = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            kept = x[index]
            x[index] = kept + np.float32(eps)
            above = f(x)
            x[index] = kept - np.float32(eps)
            below = f(x)
            x[index] = kept
            gradient[index] = (above - below) / (2 * eps)
        gradient
    In float32 a step of 1e-5 drowns in rounding: it has seven digits, and the difference needs sixteen. Convert to
    float64.
integers:
        x = np.array(x)
        gradient = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            kept = x[index]
            x[index] = kept + eps
            above = f(x)
            x[index] = kept - eps
            below = f(x)
            x[index] = kept
            gradient[index] = (above - below) / (2 * eps)
        gradient
    An array of integers stays one of integers here: it cuts off the digits behind the point when an element is moved by
    eps, and those of each slope. Convert x to float64 first.
never_restored:
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            x[index] += eps
            above = f(x)
            x[index] -= 2 * eps
            below = f(x)
            gradient[index] = (above - below) / (2 * eps)
        gradient
    An element is not put back before the next one is moved, so every slope after the first is taken at another place.
    Do you move elements of a copy, or of the caller's x?
restored_by_arithmetic:
        x = x if x.dtype == np.float64 else x.astype(np.float64)
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            x[index] += eps
            above = f(x)
            x[index] -= 2 * eps
            below = f(x)
            x[index] += eps
            gradient[index] = (above - below) / (2 * eps)
        gradient
    x is not quite what it was: adding eps and subtracting it again rounds each time, and the last digits stay
    changed. Keep the old element and write it back, or work on a copy.
integers_in_place:
        x = np.array(x)
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            kept = x[index]
            x[index] += eps
            above = f(x)
            x[index] -= 2 * eps
            below = f(x)
            x[index] = kept
            gradient[index] = (above - below) / (2 * eps)
        gradient
    An array of integers cuts off the digits behind the point when an element is moved by eps. Convert x to float64
    first.
copies_of_integers:
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            above, below = np.array(x), np.array(x)
            above[index] = x[index] + eps
            below[index] = x[index] - eps
            gradient[index] = (f(above) - f(below)) / (2 * eps)
        gradient
    An array of integers cuts off the digits behind the point when an element is moved by eps. Convert x to float64
    first.
step_of_integers:
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[index] = eps
            gradient[index] = (f(x + step) - f(x - step)) / (2 * eps)
        gradient
    At integers, every slope is zero, as if nothing had moved: an array of integers cuts off a step of eps. Does the
    array of your step have the dtype of x, as `np.zeros_like(x)` has?
not_put_back:
        x = np.array(x, dtype=np.float64)
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            kept = x[index]
            x[index] = kept + eps
            above = f(x)
            x[index] = kept - eps
            below = f(x)
            gradient[index] = (above - below) / (2 * eps)
        gradient
    An element is not put back before the next one is moved, so every slope after the first is taken at another
    place.
result_of_integers:
        gradient = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            step = np.zeros(x.shape)
            step[index] = eps
            gradient[index] = (f(x + step) - f(x - step)) / (2 * eps)
        gradient
    At integers, the slopes are integers as well: every quotient loses its digits behind the point. Does your result
    have the dtype of x, as `np.zeros_like(x)` has?
one_array: np.zeros(np.shape(x))
    Every slope is zero, as if both points were the same. `a = x` makes no copy: does each of your two points have an
    array of its own? And do the quotients get into the result?

[relative_error]
- return float(quotient.max())
absolute: return float(np.abs(a - b).max())
    This is the absolute error. 1e-6 is a large error for a gradient of 1e-6 and a small one for a gradient of 1000:
    divide by the larger of the two sizes.
mean: return float(quotient.mean())
    This is the mean over the elements. One wrong element among a thousand right ones then shows as a thousandth of its
    error: let the worst one decide.
norms: return float(np.linalg.norm(a - b) / (max(np.linalg.norm(a), np.linalg.norm(b)) or 1.0))
    This compares the norms of whole arrays. A small element may then be quite wrong next to large ones. Compute the
    quotient of each element, and take the worst.
largest_by_largest: return float(np.abs(a - b).max() / (larger.max() or 1.0))
    The largest difference is divided by the largest size, but they may belong to different elements. Divide element by
    element, then take the worst.
not_symmetric: return float((np.abs(a - b) / np.where(b == 0, 1.0, np.abs(b))).max())
    It is not the same for (a, b) as for (b, a): only one of the two is in the divisor. And what is the error where that
    one is zero?
only_the_first: return float((np.abs(a - b) / np.where(a == 0, 1.0, np.abs(a))).max())
    It is not the same for (a, b) as for (b, a): only the first number is in the divisor. Divide by the larger one.
only_the_first_or_nan:
        with np.errstate(all="ignore"):
            return float((np.abs(a - b) / np.abs(a)).max())
    It is not the same for (a, b) as for (b, a): only the first number is in the divisor. Divide by the larger one.
smaller_size:
        smaller = np.minimum(np.abs(a), np.abs(b))
        return float((np.abs(a - b) / np.where(smaller == 0, 1.0, smaller)).max())
    The divisor is the smaller of the two sizes. It should be the larger one.
sum_of_sizes: return float((np.abs(a - b) / np.where(larger == 0, 1.0, np.abs(a) + np.abs(b))).max())
    The divisor is the sum of the two sizes. That is a common choice, but here it should be the larger one.
fixed_floor: return float((np.abs(a - b) / np.maximum(1e-8, larger)).max())
    There is a fixed number in the divisor, such as 1e-8. For gradients much smaller than it your error is always small.
    Only where both are zero does the divisor need help.
floor_added: return float((np.abs(a - b) / (larger + 1e-8)).max())
    A fixed number such as 1e-8 is added to the divisor. For gradients near that size or below it, your error is too
    small. Only where both are zero does the divisor need help.
floor_and_sum: return float((np.abs(a - b) / np.maximum(1e-8, np.abs(a) + np.abs(b))).max())
    This is the well-known `max(1e-8, |a| + |b|)` as the divisor. It should be the larger of the two, without a fixed
    number: for gradients far below 1e-8 your error is always small.
zero_by_zero:
        with np.errstate(all="ignore"):
            return float((np.abs(a - b) / larger).max())
    Zero over zero is NaN. Two elements that are both zero are equal: their error is 0.
sign_kept: return float(((a - b) / np.where(larger == 0, 1.0, larger)).max())
    The sign of the difference is kept: where the first number is the smaller one, the error is negative, however far
    apart the two are. Take the absolute value of the difference.
zeros_left_out: return float(np.where((a == 0) | (b == 0), 0.0, quotient).max())
    You leave out elements with a zero. There is no error only where *both* are zero: zero against 3 is an error of 1.

[wrong_gradients]
- if not ok:
right_ones: if ok:
    These are the names of the right gradients. Return the names of the wrong ones.

- if not ok:
-     wrong.append(name)
stops_at_first:
        if not ok:
            wrong.append(name)
            break
    It stops at the first wrong one. The next ones have to be found as well.

- ok, _ = gradient_check(loss_of, value, gradients[name], eps)
pair_is_true: ok = gradient_check(loss_of, value, gradients[name], eps)
    No gradient with wrong numbers is found. `gradient_check` gives a pair, and a pair is always true: do you test the
    pair, or its first entry? And can that one be False?

- if not ok:
-     wrong.append(name)
only_the_first:
        if not ok:
            wrong.append(name)
        break
    Only the first parameter is checked. (A `return` inside of the loop?)
""")
