"""A transpose without a product.

lesson: 03
by: both
demb: failed | = In `dembcat.T`, the transpose is one too many. Without it, your `demb` is right.
"""


def demb(dembcat, emb):
    return dembcat.T.reshape(emb.shape)
