"""Layer norm with the direct path alone.

lesson: 11
by: dojo
dx: failed | = Your `dx` treats `rstd` and `mu` as constants. They are computed from `x`, so the gradient also comes
    back through them. The rest is right.
others: passed
"""

def dx(dy, scale, rstd):
    dxhat = dy * scale
    return dxhat * rstd
