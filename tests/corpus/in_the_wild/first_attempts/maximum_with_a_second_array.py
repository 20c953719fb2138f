"""`np.max` of two arrays: the second one is taken for the axis.

lesson: 08
relative_error: error | The second argument of `np.max(a, b)` is the axis: the larger one of two arrays, element by
    element, is `np.maximum(a, b)`.
others: any
"""


def relative_error(a, b):
    return np.max(np.abs(a - b) / np.max(np.abs(a), np.abs(b)))
