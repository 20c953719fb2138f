"""The error is relative to the first number only, and zero over zero is left as it is.

lesson: 08
relative_error: failed
others: any
"""


def relative_error(a, b):
    return (abs(a - b) / abs(a)).max()
