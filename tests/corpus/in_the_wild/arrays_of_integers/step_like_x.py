"""The array of the step has the dtype of x, which is of integers, so that nothing moves.

lesson: 08
numerical_gradient: failed | At integers, every slope is zero, as if nothing had moved
"""


def numerical_gradient(f, x, eps=1e-5):
    grad = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] += eps
        grad[i] = (f(x + step) - f(x - step)) / (2 * eps)
    return grad
