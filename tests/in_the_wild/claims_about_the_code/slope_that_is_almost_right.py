"""Another small number stands outside of the power: the two slopes differ in their fifth digit, and the message shows it.

lesson: 03
dbnvar: failed | is the forward line's slope at that element: -0.
others: passed
"""


def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar**-1.5 + 2e-5) * dbnvar_inv
