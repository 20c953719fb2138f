"""The growth over all layers: an index that is right where every layer has the same factor is no cause.

lesson: 10
by: dojo
gradient_growth: failed | is 8; expected 2.
others: any
"""


def gradient_growth(norms):
    return norms[0] / norms[-1]
