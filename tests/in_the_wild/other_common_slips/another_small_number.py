"""1e-3 for the forward pass's 1e-5.

lesson: 03
by: both
dbnvar: failed | = `1e-3` is not the small number that the lesson's forward pass adds. With that one in `bnvar + 1e-3`, your
    `dbnvar` is right.
"""

def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar + 1e-3) ** -1.5 * dbnvar_inv
