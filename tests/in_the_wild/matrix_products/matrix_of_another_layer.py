"""No order and no transpose of these two has the right shape.

lesson: 02
by: both
dX: error | No product of two of these, in any order and with any `.T`, has the shape of `X`, (
"""


def dX(dh, W2):
    return dh @ W2.T
