"""`np.allclose` with its defaults has an absolute tolerance of 1e-8, and here a larger one, so that noise may pass.

lesson: 08
scales: failed | of about 1e-10
zero_gradients: failed | = The error is not relative: a fixed difference decides. A tiny gradient then can never be wrong, a huge one never right. Divide by the size of the slopes.
kinks: failed | = The error is not relative: a fixed difference decides. A tiny gradient then can never be wrong, a huge one never right. Divide by the size of the slopes.
"""


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape:
        return False, float("inf")
    slope = numerical_gradient(f, x, 1e-5)
    return bool(np.allclose(slope, dx, rtol=1e-4, atol=1e-5)), float(np.abs(slope - dx).max())
