"""The right tensors, but the function itself and not its derivative; the logarithm of numbers below zero.

lesson: 01
dpositive: failed | = Your `dpositive` is exactly `dlogarithm` times `positive.log()`. The gradient contains `dlogarithm`,
    too, but combined in another way.
dexponent: failed | is nan, not a finite number: look for 0/0, inf - inf, or the log or root of a negative number.
others: passed
"""

def dpositive(dlogarithm, positive):
    return dlogarithm * torch.log(positive)


def dexponent(dexponential, exponential):
    return dexponential * torch.log(-exponential)
