"""A helper that leaves the 1e-5 out.

lesson: 05
by: dojo
dmean: failed | = The 1e-5 is missing: the forward pass adds it before it takes the root or the power, and `v **
    0.5` uses `v` alone. With it, your `dmean` is right.
others: passed
"""

def deviation(v):
    return v ** 0.5


def dmean(dxhat, var):
    return -dxhat.sum(0) / deviation(var)
