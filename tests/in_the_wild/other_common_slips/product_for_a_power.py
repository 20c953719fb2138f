"""Twice the value for its square.

lesson: 01
by: both
dz: failed | `a * 2` multiplies by 2. With 2 as an exponent, your `dz` is right
dfork: error | That line writes round brackets after a number, as if it were a function. A product needs its `*`
"""


def dz(da, a):
    return da * (1 - a * 2)


def dfork(dtwice, dshifted):
    return 2(dtwice) + dshifted
