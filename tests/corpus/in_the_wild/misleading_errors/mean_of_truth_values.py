"""The mean of a comparison, which has no number yet; and answers of the wrong shape that happen to be zero.

lesson: 01
closed_share: error | `mean` works on floating-point numbers only, and this tensor has the dtype Bool.
nonzero_places: shape | The result has the shape
accumulation_factor: shape | = `another token` still needs a sum over the first 2 axes: its shape is (6, 3) where () is
    expected.
backward: shape | = The result is None; expected 3 values: dW, db, dx. Is the last line `return ...`?
"""


def closed_share(h, threshold):
    return (h.abs() > threshold).mean()


def nonzero_places(labels, classes):
    return labels == classes


def accumulation_factor(tokens, token):
    return tokens == token


def backward(x, W, b, a, z):
    dz = 1 - a**2
    print(x.T @ dz, dz.sum(0), dz @ W.T)
