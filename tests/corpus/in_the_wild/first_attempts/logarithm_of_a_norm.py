"""The growth as a difference of logarithms, also where a norm is zero.

lesson: 10
gradient_growth: error | `math.log` needs a number above zero
others: any
"""


def gradient_growth(norms):
    import math

    return math.exp((math.log(norms[0]) - math.log(norms[-1])) / (len(norms) - 1))
