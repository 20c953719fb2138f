"""The first element of a sum: that keeping the axis would hide the index is no explanation.

lesson: 03
db1: shape | = `dhprebn.sum(0)` loses the axis that it sums over. With that axis kept, your `db1` is right: check
    `keepdim`.
others: any
"""


def db1(dhprebn):
    return dhprebn.sum(0)[0]
