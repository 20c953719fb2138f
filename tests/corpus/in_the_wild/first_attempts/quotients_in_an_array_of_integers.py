"""`np.zeros_like(x)` has integers where x has.

lesson: 08
numerical_gradient: failed | = The array for the result has integers, as x has, so every quotient loses its digits
    behind the point. Make it with `np.zeros(x.shape)`: `np.zeros_like(x)` takes the dtype of x.
others: any
"""


def numerical_gradient(f, x, eps=1e-5):
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"])
    while not it.finished:
        plus, minus = x.astype(float), x.astype(float)
        plus[it.multi_index] += eps
        minus[it.multi_index] -= eps
        grad[it.multi_index] = (f(plus) - f(minus)) / (2 * eps)
        it.iternext()
    return grad
