"""The transpose of a product for the product with a transposed factor.

lesson: 12
by: both
dk: shape | = In `(dscores @ q / q.shape[2] ** 0.5).transpose(1, 2)`, a transpose is missing, one too many, or
    in the wrong place. In the right form, your `dk` is right. Write the shapes next to each other: over which
    axis should the product sum?
dV: shape | = In `(P @ dO).transpose(1, 2)`, a transpose is missing, one too many, or in the wrong place. In the
    right form, your `dV` is right. Write the shapes next to each other: over which axis should the product sum?
"""


def dk(dscores, q):
    return (dscores @ q / q.shape[2] ** 0.5).transpose(1, 2)


def dV(dO, P):
    return (P @ dO).transpose(1, 2)
