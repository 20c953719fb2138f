"""Minus one in whole columns.

lesson: 04
by: dojo
dlogits: failed | = `d[:, Yb] = d[:, Yb] - 1` picks whole columns: for each entry of `Yb`, that column in every row.
    Index rows and columns together, so that each row is paired with its own entry; then your `dlogits` is right.
in_one_go: failed | = Extreme logits are tested once `dlogits` is right on ordinary ones. Its public example:
    exercises/04_cross_entropy/examples.py:11
others: passed
"""

def dlogits(logits, Yb, n):
    d = F.softmax(logits, dim=1)
    d[:, Yb] = d[:, Yb] - 1
    return d / n
