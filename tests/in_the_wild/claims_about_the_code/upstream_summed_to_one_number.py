"""The upstream gradient is summed to one number; it is used, and must not be said to be left out.

lesson: 01
by: dojo
du: failed | = Suppose that `dproduct` is zero except for a 1 in [2, 3]. Then `du` is zero outside [2, 3], because
    `product[2, 3]` is computed from that element alone; yours is -1.55 in [0, 0].
others: passed
"""

def du(dproduct, v):
    total = dproduct.sum()
    return total * v
