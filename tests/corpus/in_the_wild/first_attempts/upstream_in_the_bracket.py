"""The upstream gradient is subtracted from 1, or squared: what is left is not linear in it.

lesson: 01
by: dojo
dz: failed | When `da` is multiplied by −2, `dz` must be multiplied by −2, too; yours is not
dpositive: failed | is the forward line's slope at that element
others: passed
"""


def dz(da, a):
    return (1 - da) * a**2


def dpositive(dlogarithm, positive):
    return dlogarithm * positive.log() / 3
