"""A number for the classes, and the mean is forgotten: the number is what the error is about.

lesson: 02
by: both
dlogits: error | `dlogits` runs at the sizes in README.md and raises an error at others
"""


def dlogits(logits, Y):
    return F.softmax(logits, 1) - F.one_hot(Y, 5)
