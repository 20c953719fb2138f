"""The slope of the variance with the fraction written out, twice.

lesson: 05
dvar: failed | only `-3` is the exponent, because a power comes before a division.
others: passed
"""


def dvar(dxhat, x, mean, var):
    return (dxhat * (x - mean)).sum(0) * -1/2 * (var + 1e-5) ** -3/2
