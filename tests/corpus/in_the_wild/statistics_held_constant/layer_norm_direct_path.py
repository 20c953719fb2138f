"""Layer norm with the direct path alone.

lesson: 11
by: dojo
dx: failed | = In your `dx`, the part that comes by way of `rstd` is missing, and the part that comes by way of `mu` is
    missing. Gradients of all paths add up. The rest is right.
others: passed
"""

def dx(dy, scale, rstd):
    dxhat = dy * scale
    return dxhat * rstd
