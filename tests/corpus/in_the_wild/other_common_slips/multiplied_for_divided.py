"""Multiplied where the derivative divides.

lesson: 01
dpositive: failed | = In `dlogarithm * x`, the `*` in front of `x` is the wrong operation. With another one,
    your `dpositive` is right. What is the local derivative of the forward line?
others: passed
"""

def dpositive(dlogarithm, positive):
    x = positive
    return dlogarithm * x * 1.0
