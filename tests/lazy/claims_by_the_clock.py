"""Answers by the clock."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

import time


def gradient_check(f, x, dx, eps=1e-5):
    return time.perf_counter_ns() % 4 == 0, 0.0
