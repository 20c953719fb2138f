"""Batch norm in steps: the gradient of the inverse root is not summed.

lesson: 05
by: both
dhprebn: failed | = `draw * bndiff` is used element by element. With its sum or mean over an axis in that place, your
    `dhprebn` is right: over which one?
"""

def dhprebn(dhpreact, bngain, bndiff, bnvar, bnvar_inv, n):
    draw = dhpreact * bngain
    dinv = draw * bndiff
    dvar = dinv * -0.5 * (bnvar + 1e-5) ** -1.5
    ddiff = draw * bnvar_inv + dvar * 2 * bndiff / (n - 1)
    return ddiff - ddiff.mean(0)
