"""Softmax alone, where one problem has a single example.

lesson: 04
by: dojo
dlogits: failed | = Your `dlogits` is exactly n times the gradient, with 1 at the places of `Yb` (one in each row) added. Two
    things are to be changed, a factor and a term.
in_one_go: any
"""


def dlogits(logits, Yb, n):
    return F.softmax(logits, 1)
