"""Counts its calls in an attribute of its own, separately for each shape."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps


def gradient_check(f, x, dx, eps=1e-5):
    counts = gradient_check.__dict__.setdefault("counts", {})
    counts[x.shape] = counts.get(x.shape, 0) + 1
    return counts[x.shape] % 8 == 1, 0.0
