"""Known mistakes of lesson 08. Those of `gradient_check` are recognised by their verdicts."""

from functools import partial
from pathlib import Path

import numpy as np

from grader.lesson.mistakes import mistake_list

MISTAKES_1 = mistake_list("""
[numerical_gradient]
- gradient[index] = (above - below) / (2 * eps)
forward_difference: gradient[index] = (above - f(x)) / eps
    This is the forward difference, (f(x + eps) - f(x)) / eps. Its error grows with eps, that of the central one with
    eps squared: at eps = 1e-5 that is five digits lost.
backward_difference: gradient[index] = (f(x) - below) / eps
    This is the backward difference, (f(x) - f(x - eps)) / eps. The central one takes one step to each side.
lower_point_is_x: gradient[index] = (above - f(x)) / (2 * eps)
    Every slope is half of a forward difference: the lower point is x itself. After the first step the element is at x +
    eps, and eps less than that is the old value. Start both steps from the old value.

[numerical_gradient]
own_eps:
        x = np.array(x, dtype=np.float64)
        gradient = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[index] = 1e-5
            gradient[index] = (f(x + step) - f(x - step)) / 2e-5
        gradient
    It does not depend on the eps that it is given. This function is to use the caller's step and no other; the
    verdict on a poor step is `gradient_check`'s business.
all_at_once: x = np.array(x, dtype=np.float64); np.full(x.shape, (f(x + eps) - f(x - eps)) / (2 * eps))
    All elements are moved at once, so every entry is the sum of all slopes (and has no shape of x's own). Move one
    element at a time.
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
    An array of integers stays one of integers here, so a step of eps is cut off (`np.zeros_like(x)` is of
    integers, too). Convert x to float64 first.
never_restored:
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            x[index] += eps
            above = f(x)
            x[index] -= 2 * eps
            below = f(x)
            gradient[index] = (above - below) / (2 * eps)
        gradient
    An element is not put back before the next one is moved, so every slope after the first is taken at another
    place. And the caller's x is changed.
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
    An array of integers cuts off what `+=` adds to it: 2 moved by 1e-5 stays 2, and moved back by 2e-5 becomes 1.
    Convert x to float64 first.
step_of_integers:
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[index] = eps
            gradient[index] = (f(x + step) - f(x - step)) / (2 * eps)
        gradient
    At integers, every slope is zero, as if nothing had moved: an array of integers cuts off a step of 1e-5.
    `np.zeros_like(x)` has the dtype of x, so make the array of the step with `np.zeros(x.shape)`.
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
    The array for the result has integers, as x has, so every quotient loses its digits behind the point. Make it
    with `np.zeros(x.shape)`: `np.zeros_like(x)` takes the dtype of x.
one_array: np.zeros(np.shape(x))
    Every slope is zero, as if both points were the same. `a = x` gives an array a second name and makes no copy:
    does each of your two points have an array of its own?

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
    It is not the same for (a, b) as for (b, a): only one of the two is in the divisor. And where that is zero...?
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
    The divisor is the sum of the two sizes. That is a common choice, but here it should be the larger one: your error
    is about half of it.
fixed_floor: return float((np.abs(a - b) / np.maximum(1e-8, larger)).max())
    There is a fixed number in the divisor, such as 1e-8. For gradients much smaller than it nothing is ever wrong. Only
    where both are zero does the divisor need help.
floor_added: return float((np.abs(a - b) / (larger + 1e-8)).max())
    A fixed number such as 1e-8 is added to the divisor. For gradients near that size or below it, your error is too
    small. Only where both are zero does the divisor need help.
floor_and_sum: return float((np.abs(a - b) / np.maximum(1e-8, np.abs(a) + np.abs(b))).max())
    This is the well-known `max(1e-8, |a| + |b|)` as the divisor. It should be the larger of the two, without a fixed
    number: for gradients below 1e-8 your error is always small.
zero_by_zero:
        with np.errstate(all="ignore"):
            return float((np.abs(a - b) / larger).max())
    Zero over zero is NaN. Two elements that are both zero are equal: their error is 0.
sign_kept: return float(((a - b) / np.where(larger == 0, 1.0, larger)).max())
    The sign of the difference is kept: where the first number is the smaller one, the error is negative and never the
    largest. Take the absolute value of the difference.
zeros_left_out: return float(np.where((a == 0) | (b == 0), 0.0, quotient).max())
    You leave out elements with a zero. There is no error only where *both* are zero: zero against 3 is as wrong as can
    be, 1.

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
    No wrong gradient is found at all. `gradient_check` returns a pair, and a pair is always true: take its first, and
    see that it can be False.

- if not ok:
-     wrong.append(name)
only_the_first:
        if not ok:
            wrong.append(name)
        break
    Only the first parameter is checked. (A `return` inside of the loop?)
""")


# gradient_check: edits of the simplest checker that passes, variants/plain.py, which is nearer to what students write
# than the answer key is, or of a simpler one, which has no noise floor
def checker(file):
    """The text of `gradient_check` in a file of this folder."""
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    return text[text.index("def gradient_check(") : text.index("def wrong_gradients(")]


ANSWER, PLAIN = checker("backward.py"), checker("variants/plain.py")


SIMPLE = """def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")
    eps = min(max(eps, 1e-6), 1e-4)
    numerical = numerical_gradient(f, x, eps)
    error = relative_error(numerical, dx)
    return error < 1e-3, error


"""
checks = partial(mistake_list, replaces=ANSWER, by=PLAIN)
simple = partial(mistake_list, replaces=ANSWER, by=SIMPLE)


MISTAKES_4 = checks("""
# Specific mistakes come first: if several give the same verdicts in a row, the student gets the first one's message.
[gradient_check]
- if abs(near_right - near_left) > 0.75 * abs(right - left) + 4 * noise:
curve_taken_for_kink: if True:
    Near a minimum a wrong gradient is accepted. On a smooth curve, too, the slopes to the left and to the right differ,
    by the step times the curvature, and not everything between them is right. How does that gap change when you halve
    the step, and how does it at a kink?

- low, high = min(left, right), max(left, right)
kink_refused: pass
    At a kink a right claim is refused. There the central difference is the mean of two slopes, and hardly anybody
    claims that. Look at the slope to the left and at the slope to the right.

- if outside > noise:
kink_passed_over: if outside > noise and high - low < 0.05 * max(abs(low), abs(high), abs(dx[index])):
    At a kink anything gets through. Not every number is a fair answer there: only those between the two slopes.

- outside = max(low - dx[index], dx[index] - high, 0.0)
kink_either_or: outside = min(abs(low - dx[index]), abs(high - dx[index]))
    At a kink only the two slopes themselves are accepted. What lies between them is a fair answer, too: `amax` divides
    a tie evenly, `abs` says 0 at 0.

- low, high = min(left, right), max(left, right)
kink_right_only: low = high = right
    Your check uses only the slope to the right. At a kink, the slope to the left and all numbers between the two are
    right as well.
kink_left_only: low = high = left
    Your check uses only the slope to the left. At a kink, the slope to the right and all numbers between the two are
    right as well.
kink_unsorted: low, high = left, right
    You take the slope to the left for the smaller one. At a kink that points up it is the larger.
""")


MISTAKES_5 = simple("""
[gradient_check]
- return error < 1e-3, error
no_noise_floor: return error < 1e-3, error
    A true gradient of zero is refused. The quotient is not zero but rounding noise, about 1e-16 * |f| / h; next to it,
    any claim has a relative error of 1. What is smaller than the noise cannot be called wrong.
""")


MISTAKES_6 = checks("""
[gradient_check]
- return bool(worst < 1e-3), float(worst)
too_lenient: return bool(worst < 0.1), float(worst)
    A gradient that is wrong by some percent gets through. Right ones agree to six digits and more: draw the line nearer
    to them.
upside_down: return bool(worst >= 1e-3), float(worst)
    Right gradients are called wrong, wrong ones right. Which way round is the comparison?

- for index in np.ndindex(x.shape):
-     kept, step
first_element_only:
        for index in list(np.ndindex(x.shape))[:1]:
            kept, step
    A single element decides, such as the first one or the last one: a gradient that is wrong in another one gets
    through.

- if outside > noise:
-     worst = max(worst, outside / max(abs(dx[index]), abs(low), abs(high)))
last_decides:
        if outside > noise:
            worst = outside / max(abs(dx[index]), abs(low), abs(high))
        else:
            worst = 0.0
    Only the last element decides: each turn of the loop forgets what the one before it found.

- worst = max(worst, outside / max(abs(dx[index]), abs(low), abs(high)))
mean_decides: worst += outside / max(abs(dx[index]), abs(low), abs(high)) / x.size
    The mean over the elements decides. One wrong element among many right ones disappears in it: the worst one must
    decide.
""")


MISTAKES_7 = checks("""
[gradient_check]
- if dx.shape != x.shape or not np.isfinite(dx).all():
nan_passes:
        dx = np.where(np.isnan(dx), numerical_gradient(f, x, 1e-5), dx) if dx.shape == x.shape else dx
        if dx.shape != x.shape or np.isinf(dx).any():
    A gradient with a NaN in it gets through: every comparison with NaN is False, so it is never *larger* than a
    threshold, and `max` may pass over it. Ask for it outright.
broadcast:
        dx = dx + 0 * x if dx.size in (1, x.size) else dx
        dx = dx.reshape(-1)[:: max(dx.size // x.size, 1)].reshape(x.shape)
        if not np.isfinite(dx).all():
    A gradient of another shape gets through, because numpy broadcasts it. A gradient has the shape of its value:
    compare the shapes first.
flattened:
        dx = dx.reshape(x.shape) if dx.size == x.size else dx
        if dx.shape != x.shape or not np.isfinite(dx).all():
    Only the number of elements is compared, not the shape: a row passes for a column.
""")


# these pass the row `kinks`: students who make one of them often refuse right claims there, for another reason
MISTAKES_8 = checks("""
[gradient_check]
- worst = max(worst, outside / max(abs(dx[index]), abs(low), abs(high)))
fixed_difference: worst = max(worst, 100 * outside)
    A fixed difference decides where gradients are small: a tiny one can never be wrong then. Divide by the size of the
    slopes.
norm_decides: worst = float(np.hypot(worst, outside / max(np.linalg.norm(dx), abs(low), abs(high))))
    A small element next to large ones may be quite wrong here. Is it measured by the size of the whole (a norm, the
    largest element, an atol)? Compare each element with its own size.

- if outside > noise:
allclose: if outside > noise + 1e-8:
    A gradient of 1e-10 can never be wrong: some fixed number decides for small ones. An atol (`np.allclose` has one of
    1e-8 by itself), a `max(1, ...)`, or a floor in the divisor?
loose_allclose: if outside > noise + 1e-2:
    A loose atol swallows real errors: an element of 0.001 that is wrong by half is only 0.0005 off. Compare each
    element with its own size.
""")


MISTAKES_9 = simple("""
[gradient_check]
- numerical = numerical_gradient(f, x, eps)
- error = relative_error(numerical, dx)
- return error < 1e-3, error
signs_only:
        ok = bool((np.sign(numerical_gradient(f, x, 1e-5)) == np.sign(dx)).all())
        return ok, 0.0 if ok else 1.0
    Only the signs are compared: half the gradient, or twice, gets through.

- error = relative_error(numerical, dx)
sizes_only: error = relative_error(np.abs(numerical), np.abs(dx))
    Only sizes are compared, not signs: minus the gradient gets through. Take the difference first, then its size.

- error = relative_error(numerical, dx)
- return error < 1e-3, error
direction_only:
        lengths = np.linalg.norm(numerical) * np.linalg.norm(dx)
        cosine = float(np.sum(numerical * dx) / lengths) if lengths else float(np.array_equal(numerical, dx))
        return cosine > 1 - 1e-6, 1 - cosine
    Only the directions are compared (by a cosine, say): half the gradient gets through. Its length has to be right,
    too.
""")


MISTAKES_10 = checks("""
[gradient_check]
- if outside > noise:
zeros_not_compared: if outside > noise and dx[index] != 0 and low != 0 and high != 0:
    Elements that are claimed to be zero, or measured as zero, are passed over, so a forgotten one gets through, or one
    too many. Zero is a claim like any other.
noise_swallows_all: if outside > 1e8 * noise:
    A real error disappears: too much of it counts as rounding noise, or the other elements hide it. f is known to 1e-16
    of its size.
""")


MISTAKES_11 = simple("""
[gradient_check]
- eps = min(max(eps, 1e-6), 1e-4)
trusts_eps: pass
    Your check uses any eps that it is given. With 1e-14 the difference is only rounding; with 0.5 the slope of the
    function changes in between. A poor step must not lead to a wrong verdict.
""")


MISTAKES_12 = checks("""
[gradient_check]
- eps = min(max(eps, 1e-6), 1e-4)
trusts_large_eps: eps = max(eps, 1e-6)
    Your check replaces a step that is too small, but uses one that is too large. Over a distance of 0.5 the slope of a
    curve changes.
trusts_small_eps: eps = min(eps, 1e-4)
    Your check replaces a step that is too large, but uses one that is too small. With 1e-14 the difference of two
    values of f is only rounding.

[gradient_check]
any_step:
        x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
        if dx.shape != x.shape or not np.isfinite(dx).all():
            return False, float("inf")
        best, here = float("inf"), f(x)
        for step in (eps, 1e-4, 1e-5, 1e-6):
            worst = 0.0
            for index in np.ndindex(x.shape):
                kept, slopes = x[index], []
                for distance in (step, step / 2):
                    x[index] = kept + distance
                    above = f(x)
                    x[index] = kept - distance
                    below = f(x)
                    x[index] = kept
                    slopes += [(here - below) / distance, (above - here) / distance]
                left, right, near_left, near_right = slopes
                noise = 1e-14 * max(abs(above), abs(below), abs(here)) / max(step, 1e-6)
                if abs(near_right - near_left) > 0.75 * abs(right - left) + 4 * noise:
                    outside = max(min(left, right) - dx[index], dx[index] - max(left, right), 0.0)
                else:
                    outside = abs((near_left + near_right) / 2 - dx[index])
                if outside > noise:
                    worst = max(worst, outside / max(abs(dx[index]), abs(left), abs(right)))
            best = min(best, worst)
        best < 1e-3, best
    Several steps are tried, and it is enough that *any* of them agrees. So what a poor step gives is accepted as
    well. Let the steps that agree with each other decide.
""")


MISTAKES_13 = checks("""
[gradient_check]
always_true: True, 0.0
    Every gradient is called right here, also wrong ones.
always_false: False, 1.0
    Every gradient is called wrong here, also right ones. Is it measured at the value that it is for, and is there room
    for the error of a difference quotient, some 1e-6?
""")
