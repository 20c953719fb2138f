"""`correction` sums over both axes.

lesson: 19
correction: shape | = `(dO * O).sum()` goes over other axes than it should. Over the right one, `correction` is
    right.
others: any
"""

def correction(dO, O):
    return (dO * O).sum()
