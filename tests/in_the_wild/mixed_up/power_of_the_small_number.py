"""The power applies to the small number alone.

lesson: 11
dvar: failed | = In `var + 1e-5**-1.5`, the power `-1.5` applies to `1e-5` only, because it comes before `+` and
    `-`. With brackets around both terms, your `dvar` is right.
"""

def dvar(dinv_std, var):
    return -0.5 * (var + 1e-5**-1.5) * dinv_std
