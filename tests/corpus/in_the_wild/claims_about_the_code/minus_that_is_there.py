"""The minus of the exponent is there; the difference is the wrong way round.

lesson: 05
dvar: failed | The sign is flipped: your `dvar` is exactly minus the gradient.
"""


def dvar(dxhat, x, mean, var):
    return (dxhat * (mean - x) * -0.5 * (var + 1e-5) ** -1.5).sum(0)
