"""A power: the sign of the factor in front is lost, and the exponent is the forward line's.

lesson: 05
by: both
dvar: failed | = Suppose that `dxhat` is zero except for a 1 in [1, 3]. Then `dvar` there is the forward line's slope
    at that element: -0.8435; yours is 0.5. What is the derivative of the forward line?
"""


def dvar(dxhat, x, mean, var):
    return (dxhat * (x - mean) * 0.5 * (var + 1e-5) ** -0.5).sum(0)
