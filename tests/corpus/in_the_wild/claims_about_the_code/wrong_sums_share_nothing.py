"""A function that all operations of an engine call is wrong: no row says that the engine keeps somebody's tensor.

lesson: 18
unbroadcast: shape
tensor_elementwise: failed | `unbroadcast` is not right yet. If your operations call it, get its row right first.
tensor_broadcasting: failed | `unbroadcast` is not right yet. If your operations call it, get its row right first.
others: any
"""

def unbroadcast(gradient, shape):
    return gradient.sum(0)
