"""A floor below the quotient, so that nothing is divided by zero. It also covers slopes that are only small.

lesson: 08
scales: failed | of about 1e-10
zero_gradients: failed | = The error is not relative: a fixed difference decides. A tiny gradient then can never be wrong, a huge one never right. Divide by the size of the slopes.
kinks: failed | = The error is not relative: a fixed difference decides. A tiny gradient then can never be wrong, a huge one never right. Divide by the size of the slopes.
"""


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")
    slope = numerical_gradient(f, x, 1e-5)
    error = float((np.abs(slope - dx) / np.maximum(np.maximum(np.abs(slope), np.abs(dx)), 1e-2)).max())
    return error < 1e-3, error
