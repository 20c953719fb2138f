"""Multiplied where the derivative divides.

lesson: 01
dpositive: failed | = You multiply where the logarithm's slope divides. Where the value is small, is log steep or
    flat?
others: passed
"""

def dpositive(dlogarithm, positive):
    x = positive
    return dlogarithm * x * 1.0
