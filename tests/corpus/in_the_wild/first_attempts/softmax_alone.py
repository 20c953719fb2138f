"""Softmax alone, where one problem has a single example.

lesson: 04
by: dojo
dlogits: failed
in_one_go: any
"""


def dlogits(logits, Yb, n):
    return F.softmax(logits, 1)
