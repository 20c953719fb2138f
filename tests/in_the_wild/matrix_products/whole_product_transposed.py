"""The transpose of a product for the product with a transposed factor.

lesson: 12
by: both
dk: shape | = `(dscores @ q / q.shape[2] ** 0.5).transpose(1, 2)` transposes the whole product. With one of its
    factors transposed instead, your `dk` is right: which one?
dV: shape | = `(P @ dO).transpose(1, 2)` transposes the whole product. With one of its factors transposed instead,
    your `dV` is right: which one?
"""


def dk(dscores, q):
    return (dscores @ q / q.shape[2] ** 0.5).transpose(1, 2)


def dV(dO, P):
    return (P @ dO).transpose(1, 2)
