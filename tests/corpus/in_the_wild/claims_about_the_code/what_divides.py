"""A long expression is divided: the message names what divides it.

lesson: 11
dx: failed | = In `(g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, ...`, the `/` in front of `rstd`
    is the wrong operation. With another one, your `dx` is right. What is the local derivative of the forward
    line?
"""


def dx(dy, scale, xhat, rstd):
    g = dy * scale
    return (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True)) / rstd
