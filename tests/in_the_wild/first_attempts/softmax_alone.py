"""Softmax alone, where one problem has a single example.

lesson: 04
by: dojo
dlogits: failed | = The value is wrong: the error is 9 of the gradient's size. Worst element [26, 24]: found
    0.404016329, expected 0.0126255103.
in_one_go: any
"""


def dlogits(logits, Yb, n):
    return F.softmax(logits, 1)
