"""A checker that moves integers in place: with a larger threshold it would get the few public answers right by chance.

lesson: 08
by: dojo
shapes: failed | = `ok for integers` is False; expected True. Its public example: exercises/08_gradient_check/examples.py:90
others: any
"""


def gradient_check(f, x, dx, eps=1e-5):
    if dx.shape != x.shape:
        return False, 1.0
    x = x.copy()
    num = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        down = f(x)
        x[i] += eps
        num[i] = (up - down) / (2 * eps)
    err = relative_error(num, dx)
    return bool(err < 1e-3), err
