"""Takes its answers from an endless iterator: right, then seven wrong ones."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

import itertools

answers = itertools.cycle([True, *7 * [False]])


def gradient_check(f, x, dx, eps=1e-5):
    return next(answers), 0.0
