"""The small number is added after the power.

lesson: 03
dbnvar: failed | = In `bnvar**-1.5 + 1e-5`, the power `-1.5` applies to `bnvar` only, because it comes before `+` and
    `-`. With brackets around both terms, your `dbnvar` is right.
"""

def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar**-1.5 + 1e-5) * dbnvar_inv
