"""Softmax alone, where one problem has a single example.

lesson: 04
by: dojo
dlogits: failed | Adding the same number to a whole row of `logits` changes nothing
in_one_go: any
"""


def dlogits(logits, Yb, n):
    return F.softmax(logits, 1)
