"""The rows of a right gradient are averaged: nothing says that they are summed.

lesson: 04
dlogits: shape | = The shape is (8,); expected (5, 8), the shape of the value itself.
in_one_go: failed
"""

def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    for i in range(n):
        gradient[i, Yb[i]] -= 1
    return gradient.mean(0)
