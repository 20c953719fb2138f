"""Returns generators that never end."""
# lesson: 07
# rows of split_loss: shape
# rows of calibrate: shape

import itertools


def split_loss(parameters, statistics, X, Y):
    return itertools.count()


def calibrate(parameters, X):
    return (n for n in itertools.count())
