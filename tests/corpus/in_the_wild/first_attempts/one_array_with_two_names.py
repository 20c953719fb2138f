"""Both points of a difference are the same array.

lesson: 08
numerical_gradient: failed | = Every slope is zero, as if both points were the same. `a = x` gives an array a second name
    and makes no copy: does each of your two points have an array of its own?
others: any
"""


def numerical_gradient(f, x, eps=1e-5):
    x = np.array(x, dtype=np.float64)
    grad = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        plus = x
        minus = x
        plus[i] += eps
        minus[i] -= eps
        grad[i] = (f(plus) - f(minus)) / (2 * eps)
    return grad
