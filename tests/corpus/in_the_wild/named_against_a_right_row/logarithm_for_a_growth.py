"""A logarithm is returned: diagnoses come out as with another mistake of the same function.

lesson: 10
gradient_growth: error | math domain error
not_zeroed: failed | This is computed with your `gradient_growth`, which is not right yet: start there.
others: any
"""

import math


def gradient_growth(norms):
    return (math.log(norms[0]) - math.log(norms[-1])) / (len(norms) - 1)
