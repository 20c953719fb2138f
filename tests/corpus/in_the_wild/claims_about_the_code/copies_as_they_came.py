"""A gradient is passed on as it came, where the forward line made copies; only its shape tells.

lesson: 13
dvh: shape | = You return `dvalues` as it came: the upstream gradient still has to be multiplied by the derivative
    of `values` with respect to `vh`.
"""

def dvh(dvalues):
    return dvalues
