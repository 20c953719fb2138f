"""Minus one in whole columns.

lesson: 04
by: dojo
dlogits: failed | = The value is wrong: the error is 4.2 of the gradient's size. Worst element [0, 0]: found
    -0.0309593478, expected 0.000290652174. 19 of 27 columns are wrong: 0, 1, 3, 4, 7 ....
in_one_go: failed | = Extreme logits are tested once `dlogits` is right on ordinary ones. Its public example:
    exercises/04_cross_entropy/examples.py:11
others: passed
"""

def dlogits(logits, Yb, n):
    d = F.softmax(logits, dim=1)
    d[:, Yb] = d[:, Yb] - 1
    return d / n
