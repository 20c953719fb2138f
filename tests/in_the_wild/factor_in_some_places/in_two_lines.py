"""Only the elements of the true classes are divided by n, in a line of their own.

lesson: 04
dlogits: failed | it is exactly n times what it should be (here
in_one_go: failed
"""


def dlogits(probs, Yb, n):
    d = probs.clone()
    d[range(n), Yb] -= 1
    d[range(n), Yb] *= 1 / n
    return d
