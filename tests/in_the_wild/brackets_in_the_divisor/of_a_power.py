"""A power comes before a division, so `x ** -3/2` is half of the inverse cube.

lesson: 03
dbnvar: failed | = Suppose that `dbnvar_inv` is zero except for a 1 in [0, 3]. Then `dbnvar` there is the forward line's
    slope at that element: -0.743; yours is -0.5521. What is the derivative of the forward line?
others: passed
"""


def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * dbnvar_inv * (bnvar + 1e-5) ** -3/2
