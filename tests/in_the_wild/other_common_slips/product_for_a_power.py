"""Twice the value for its square.

lesson: 01
by: both
dz: failed | = Suppose that `da` is zero except for a 1 in [3, 2]. Then `dz` there is the forward line's slope at that
    element: 0.9699; yours is 1.347. What is the derivative of the forward line?
dfork: error | That line writes round brackets after a number, as if it were a function. A product needs its `*`
"""


def dz(da, a):
    return da * (1 - a * 2)


def dfork(dtwice, dshifted):
    return 2(dtwice) + dshifted
