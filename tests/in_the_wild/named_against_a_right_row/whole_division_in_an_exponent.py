"""A growth that is always 1: the networks that it decides about are called healthy, others are not.

lesson: 10
gradient_growth: failed
saturated: passed
exploding: failed | = This is computed with your `gradient_growth`, which is not right yet: start there.
others: any
"""


def gradient_growth(norms):
    return (norms[0] / norms[-1]) ** (1 // (len(norms) - 1))
