"""The error is relative to the first number only, and zero over zero is left as it is.

lesson: 08
relative_error: failed | = It is not the same for (a, b) as for (b, a): only the first number is in the divisor. Divide
    by the larger one.
others: any
"""


def relative_error(a, b):
    return (abs(a - b) / abs(a)).max()
