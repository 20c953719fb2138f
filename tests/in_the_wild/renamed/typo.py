"""A typing error.

lesson: 03
dcounts_sum: missing | = There is no function `dcounts_sum`; did you mean `dcouns_sum`? Rename it.
others: passed
"""

def dcouns_sum(dcounts_sum_inv, counts_sum):
    return -(counts_sum**-2) * dcounts_sum_inv


del dcounts_sum
