"""A variable of the student's, the centred input, in both places of the normalised one.

lesson: 11
by: both
dx: failed | = In `return rstd * (g - g.mean(-1, keepdim=True) - d * (g * d).mean(-1, ...`, look at each `d`:
    another value belongs there. With it, your `dx` is right. Which value does the forward pass use there?
"""

def dx(dy, scale, x, mu, rstd):
    g = dy * scale
    d = x - mu
    return rstd * (g - g.mean(-1, keepdim=True) - d * (g * d).mean(-1, keepdim=True))
