"""`correction` sums over both axes.

lesson: 19
correction: shape | = `(dO * O).sum()` takes the sum over all elements. Over one axis, `correction` is right: which one?
others: any
"""

def correction(dO, O):
    return (dO * O).sum()
