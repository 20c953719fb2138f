"""The first element of a sum: that keeping the axis would hide the index is no explanation.

lesson: 03
db1: shape | = You write `dhprebn.sum(0)[0]` where `dhprebn.sum(0)` belongs. With that, your `db1` is right.
others: any
"""


def db1(dhprebn):
    return dhprebn.sum(0)[0]
