"""The same in the first lesson, with the power in a line of its own.

lesson: 01
dbase: failed | only `-3` is the exponent, because a power comes before a division.
others: passed
"""


def dbase(dpower, base):
    slope = base ** -3/2
    return -0.5 * dpower * slope
