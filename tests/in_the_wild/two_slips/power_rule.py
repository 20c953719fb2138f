"""A power: the sign of the factor in front is lost, and the exponent is the forward line's.

lesson: 05
by: both
dvar: failed | = Change two things, and your `dvar` is right: the exponent -0.5 in
    `dxhat * (x - mean) * 0.5 * (var + 1e-5) ** -0.5`, and the number 0.5 in `dxhat * (x - mean) * 0.5`.
"""


def dvar(dxhat, x, mean, var):
    return (dxhat * (x - mean) * 0.5 * (var + 1e-5) ** -0.5).sum(0)
