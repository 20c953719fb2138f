"""Two upstream gradients have changed places.

lesson: 03
dbndiff: failed | = In `return bnvar_inv * dbndiff2 + 2 * bndiff * dbnraw`, look at `dbndiff2` and `dbnraw`:
    another value belongs there. With it, your `dbndiff` is right. Which value does the forward pass use there?
"""

def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    return bnvar_inv * dbndiff2 + 2 * bndiff * dbnraw
