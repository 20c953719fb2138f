"""The upstream gradient is subtracted from 1, or squared: what is left is not linear in it.

lesson: 01
by: dojo
dz: failed | Suppose that `da` is zero except for a 1
dpositive: failed | is the forward line's slope at that element
others: passed
"""


def dz(da, a):
    return (1 - da) * a**2


def dpositive(dlogarithm, positive):
    return dlogarithm * positive.log() / 3
