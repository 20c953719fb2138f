"""The rows of a right gradient are averaged: nothing says that they are summed.

lesson: 04
dlogits: shape | = Your result equals the gradient after a sum over axis 0. But `logits` is (5, 8), and each
    of its elements has a gradient of its own.
in_one_go: failed
"""

def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    for i in range(n):
        gradient[i, Yb[i]] -= 1
    return gradient.mean(0)
