"""dW from da: dz is skipped, and da is used.

lesson: 01
dW: passed | = Right, but it skips a step: it is computed from gradients further up than the next one.
"""


def dW(da, a, x):
    return x.T @ ((1 - a * a) * da)
