"""The number of columns for that of rows.

lesson: 05
dx: failed | = The number 1 in `x.shape[1]` is not the right one. With another one, your `dx` is right.
"""

def dx(dxhat, dvar, dmean, x, mean, var):
    n = x.shape[1]
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / n + dmean / n
