"""Three gradients in another order, in a check.

lesson: 01
by: both
backward: shape | `db` has the
"""

def backward(x, W, b, a, z):
    dz = 1 - a**2
    return x.T @ dz, dz @ W.T, dz.sum(0)
