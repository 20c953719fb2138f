"""Two upstream gradients have changed places.

lesson: 03
dbndiff: failed | = In `return bnvar_inv * dbndiff2 + 2 * bndiff * dbnraw`, `dbndiff2` and `dbnraw` have changed
    places. The other way round, your `dbndiff` is right.
"""

def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    return bnvar_inv * dbndiff2 + 2 * bndiff * dbnraw
