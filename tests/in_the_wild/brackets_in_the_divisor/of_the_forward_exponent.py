"""The slope of the variance with the fraction written out, twice.

lesson: 05
dvar: failed | = Suppose that `dxhat` is zero except for a 1 in [1, 3]. Then `dvar` there is the forward line's slope at
    that element: -0.8435; yours is -0.9241. What is the derivative of the forward line?
others: passed
"""


def dvar(dxhat, x, mean, var):
    return (dxhat * (x - mean)).sum(0) * -1/2 * (var + 1e-5) ** -3/2
