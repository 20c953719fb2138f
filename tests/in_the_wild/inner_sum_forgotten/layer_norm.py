"""The same in a layer norm, where the mean is over the last axis.

lesson: 11
by: both
dx: failed | = `g * xhat` is used element by element. With its sum or mean over an axis in that place, your `dx` is
    right: over which one?
"""

def dx(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat))
