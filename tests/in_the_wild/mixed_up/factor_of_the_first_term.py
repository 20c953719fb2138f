"""A factor multiplies the first of three terms.

lesson: 11
dx: failed | = In `rstd * g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, ...`, the factor `rstd` multiplies
    only the first term. With brackets around all terms, your `dx` is right.
"""

def dx(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True)
