"""The exponent is wrong, in a formula that does not use `bnvar_inv`: nothing is said of its power.

lesson: 03
dbnvar: failed | there is the forward line's slope at that element
"""


def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar + 1e-5) ** -1.0 * dbnvar_inv
