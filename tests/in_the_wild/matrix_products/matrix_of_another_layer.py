"""No order and no transpose of these two has the right shape.

lesson: 02
by: both
dX: error | = RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x8 and 5x8). In `dh @ W2.T`, `W2` is not the
    value that belongs there. With another one, your `dX` is right. This derivative is written with what the forward
    line reads: which values are they?
"""


def dX(dh, W2):
    return dh @ W2.T
