"""Two upstream gradients have changed places.

lesson: 03
dbndiff: failed | What is the derivative of the forward line?
"""

def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    return bnvar_inv * dbndiff2 + 2 * bndiff * dbnraw
