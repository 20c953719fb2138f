"""`correction` sums over both axes.

lesson: 19
correction: shape | = `(dO * O).sum()` takes the sum over all elements. Over one axis only, `correction` is right.
others: any
"""

def correction(dO, O):
    return (dO * O).sum()
