"""Layer norm's power without the 1e-5.

lesson: 11
by: dojo
dvar: failed | = The 1e-5 is missing: the forward pass adds it before it takes the root or the power, and `var **
    (-3 / 2)` uses `var` alone. With it, your `dvar` is right.
others: passed
"""

def dvar(dinv_std, var):
    slope = -0.5 * var ** (-3 / 2)
    return dinv_std * slope
