"""Adds to `x` in place and subtracts again, which leaves rounding errors behind."""
# lesson: 08
# fails: leaves_x_unchanged


def numerical_gradient(f, x, eps=1e-5):
    x = np.asarray(x, dtype=np.float64)  # no copy
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        x[index] += eps
        above = f(x)
        x[index] -= 2 * eps
        gradient[index] = (above - f(x)) / (2 * eps)
        x[index] += eps
    return gradient
