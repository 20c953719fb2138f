# === moved_in_place: The element of an array of integers is moved with `+=`, which cuts off the step.
# lesson: 08
# numerical_gradient: failed | = An array of integers cuts off the digits behind the point when an element is moved by
#     eps. Convert x to float64 first.

def numerical_gradient(f, x, eps=1e-5):
    x = x.copy()
    grad = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        down = f(x)
        x[i] += eps
        grad[i] = (up - down) / (2 * eps)
    return grad
