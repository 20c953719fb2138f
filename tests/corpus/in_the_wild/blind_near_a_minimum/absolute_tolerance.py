"""The difference itself is small near a minimum, whatever the claim is.

lesson: 08
one_element: failed | its smallest element off by 2 %
scales: failed | of about 1e-10
zero_gradients: failed | = The error is not relative: a fixed difference decides. A tiny gradient then can never be wrong, a huge one never right. Divide by the size of the slopes.
kinks: failed | = A loose atol swallows real errors: an element of 0.001 that is wrong by half is only 0.0005 off. Compare each element with its own size.
bad_eps: failed | Your check uses any eps that it is given.
"""


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.asarray(x, dtype=np.float64), np.asarray(dx)
    if dx.shape != x.shape:
        return False, float("inf")
    error = float(np.abs(numerical_gradient(f, x, eps) - dx).max())
    return error < 1e-4, error
