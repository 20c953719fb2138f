"""A tuple that lacks the last gradient.

lesson: 01
by: both
backward: shape | The result is a tuple of 2; expected 3 values: dW, db, dx.
"""

def backward(x, W, b, a, z):
    dz = 1 - a**2
    return x.T @ dz, dz.sum(0)
