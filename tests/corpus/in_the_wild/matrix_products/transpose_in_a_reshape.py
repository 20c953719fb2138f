"""A transpose without a product.

lesson: 03
by: both
demb: failed | = You write `dembcat.T` where `dembcat` belongs. With that, your `demb` is right.
"""


def demb(dembcat, emb):
    return dembcat.T.reshape(emb.shape)
