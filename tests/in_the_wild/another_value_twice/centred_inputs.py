"""A variable of the student's, the centred input, in both places of the normalised one.

lesson: 11
by: both
dx: failed | The value is wrong: the error is
"""

def dx(dy, scale, x, mu, rstd):
    g = dy * scale
    d = x - mu
    return rstd * (g - g.mean(-1, keepdim=True) - d * (g * d).mean(-1, keepdim=True))
