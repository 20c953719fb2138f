"""The parameters that the function does not need come together.

lesson: 01
by: both
backward: passed
"""

def backward(x, W, a, **others):
    dz = 1 - a**2
    return {"dW": x.T @ dz, "db": dz.sum(0), "dx": dz @ W.T}
