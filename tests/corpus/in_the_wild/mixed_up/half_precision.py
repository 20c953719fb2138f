"""Computed in half precision.

lesson: 11
dx: failed | = `(dy * scale).to(torch.float16)` rounds. Without the rounding, your `dx` is right.
"""

def dx(dy, scale, xhat, rstd):
    g = (dy * scale).to(torch.float16)
    return rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))
