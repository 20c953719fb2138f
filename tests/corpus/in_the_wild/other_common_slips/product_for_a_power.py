"""Twice the value for its square.

lesson: 01
by: both
dz: failed | = In `a * 2`, a power is missing. With `a ** 2`, your `dz` is right. What is the local derivative
    of the forward line?
dfork: error | That line writes round brackets after a number, as if it were a function. A product needs its `*`
"""


def dz(da, a):
    return da * (1 - a * 2)


def dfork(dtwice, dshifted):
    return 2(dtwice) + dshifted
