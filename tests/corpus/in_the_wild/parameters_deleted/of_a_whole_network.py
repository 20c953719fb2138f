"""Parameters that the function does not need are deleted, as the steps above it may do.

lesson: 01
by: both
backward: passed
"""

def backward(x, W, a):
    dz = 1 - a**2
    return x.T @ dz, dz.sum(0), dz @ W.T
