"""The first element of a sum: that keeping the axis would hide the index is no explanation.

lesson: 03
db1: shape | = `dhprebn.sum(0)[0]` takes only a part of `dhprebn.sum(0)`. Without the index, your `db1` is right.
others: any
"""


def db1(dhprebn):
    return dhprebn.sum(0)[0]
