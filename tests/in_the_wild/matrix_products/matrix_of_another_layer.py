"""No order and no transpose of these two has the right shape.

lesson: 02
by: both
dX: error | In `dh @ W2.T`, `W2` is not the value that belongs there. With another one, your `dX` is right.
"""


def dX(dh, W2):
    return dh @ W2.T
