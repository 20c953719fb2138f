"""No order and no transpose of these two has the right shape.

lesson: 02
by: both
dX: error | In `dh @ W2.T`, look at `W2`: another value belongs there. With it, your `dX` is right.
"""


def dX(dh, W2):
    return dh @ W2.T
