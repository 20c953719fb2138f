"""`-3 // 2` is -2: the lesson's own list has a mistake with these numbers, but the code makes another one.

lesson: 05
by: both
dvar: failed | = In `-3 // 2`, `//` rounds down to whole numbers. With `/`, your `dvar` is right.
"""

def dvar(dxhat, x, mean, var):
    return (dxhat * (x - mean)).sum(0) * -0.5 * (var + 1e-5) ** (-3 // 2)
