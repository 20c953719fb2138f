"""The right tensors, but the function itself and not its derivative; the logarithm of numbers below zero.

lesson: 01
dpositive: failed | is the forward line's slope at that element
dexponent: failed | is nan, not a finite number: look for 0/0, inf - inf, or the log or root of a negative number.
"""

def dpositive(dlogarithm, positive):
    return dlogarithm * torch.log(positive)


def dexponent(dexponential, exponential):
    return dexponential * torch.log(-exponential)
