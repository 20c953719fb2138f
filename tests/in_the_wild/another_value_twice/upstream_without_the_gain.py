"""The upstream gradient lacks the gain in each of its places.

lesson: 11
by: dojo
dx: failed | = Each `dy` in this line lacks the factor
    `scale`; with it, your `dx` is right.
"""

def dx(dy, scale, xhat, rstd):
    return rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
