"""The number of columns for that of rows.

lesson: 05
dx: failed | = Axis 1 in `x.shape[1]` is not the right one. With another axis, your `dx` is right. Which axes does the
    forward line work on?
"""

def dx(dxhat, dvar, dmean, x, mean, var):
    n = x.shape[1]
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / n + dmean / n
