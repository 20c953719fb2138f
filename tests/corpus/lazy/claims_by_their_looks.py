"""Looks only at the claimed numbers: shape, NaN, zeros, minus zeros, size, layout."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

import numpy as np


def gradient_check(f, x, dx, eps=1e-5):
    if dx.shape != x.shape or not np.isfinite(dx).all() or not dx.flags.c_contiguous:
        return False, 1.0
    if (dx == 0).all():
        return not np.signbit(dx).any(), 0.0
    if (dx == 0).any() and (dx.reshape(-1)[::2] == 0).any():
        return False, 0.0
    return bool(np.abs(dx).max() < 2.5), 0.0
