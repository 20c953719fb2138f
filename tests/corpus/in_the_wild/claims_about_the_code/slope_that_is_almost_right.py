"""Another small number stands outside of the power: the two slopes differ in their fifth digit, and the message shows it.

lesson: 03
dbnvar: failed | = Suppose that `dbnvar_inv` is zero except for a 1 in [0, 3]. Then `dbnvar` there is the forward
    line's slope at that element: -0.743; yours is -0.7431. What is the derivative of the forward line?
others: passed
"""


def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar**-1.5 + 2e-5) * dbnvar_inv
