"""The rows of a right gradient are averaged: nothing says that they are summed.

lesson: 04
dlogits: shape | = Change two things, and your `dlogits` is right: the mean in
    `gradient.mean(0)`, and `gradient`, which a size should divide.
in_one_go: failed
"""

def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    for i in range(n):
        gradient[i, Yb[i]] -= 1
    return gradient.mean(0)
