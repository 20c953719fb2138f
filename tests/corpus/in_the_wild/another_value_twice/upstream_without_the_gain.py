"""The upstream gradient lacks the gain in each of its places.

lesson: 11
by: dojo
dx: failed | = The value is wrong: the error is 0.44 of the gradient's size. Worst element [1, 1, 12]: found
    1.39022645, expected -0.148557057.
"""

def dx(dy, scale, xhat, rstd):
    return rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
