"""The error is divided by 1 + |slope|, as in many recipes: a slope far below 1 is compared absolutely.

lesson: 08
one_element: failed | its smallest element halved
scales: failed | of about 1e-10
zero_gradients: failed | = The error is not relative: a fixed difference decides. A tiny gradient then can never be wrong, a huge one never right. Divide by the size of the slopes.
kinks: failed | = A loose atol swallows real errors: an element of 0.001 that is wrong by half is only 0.0005 off. Compare each element with its own size.
"""


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")
    slope = numerical_gradient(f, x, 1e-5)
    error = float((np.abs(slope - dx) / (1.0 + np.abs(slope))).max())
    return error < 1e-3, error
