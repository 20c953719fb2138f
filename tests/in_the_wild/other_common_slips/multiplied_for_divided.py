"""Multiplied where the derivative divides.

lesson: 01
dpositive: failed | = In `dlogarithm * x`, you multiply by `x`. If you divide by it, your `dpositive` is right. What
    is the local derivative of the forward line?
others: passed
"""

def dpositive(dlogarithm, positive):
    x = positive
    return dlogarithm * x * 1.0
