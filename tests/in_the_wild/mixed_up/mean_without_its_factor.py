"""A mean lacks a factor, because an upstream gradient is in the place of its product with a gain.

lesson: 11
dx: failed | = In `(dy * xhat).mean(-1, keepdim=True)`, `dy * xhat` lacks the factor `scale`. With it, your `dx` is
    right.
"""

def dx(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * (g - g.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
