"""The power without the 1e-5.

lesson: 03
by: dojo
dbnvar: failed | = The 1e-5 is missing: the forward pass adds it before it takes the root or the power, and
    `bnvar.pow(-1.5)` uses `bnvar` alone. With it, your `dbnvar` is right.
others: passed
"""

def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * bnvar.pow(-1.5) * dbnvar_inv
