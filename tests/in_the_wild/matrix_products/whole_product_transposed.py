"""The transpose of a product for the product with a transposed factor.

lesson: 12
by: both
dk: shape | The shape is
dV: shape | The shape is
"""


def dk(dscores, q):
    return (dscores @ q / q.shape[2] ** 0.5).transpose(1, 2)


def dV(dO, P):
    return (P @ dO).transpose(1, 2)
