"""A division by n reaches the elements of the true classes only.

lesson: 04
dlogits: failed | it is exactly n times what it should be (here
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    d[range(n), Yb] = (d[range(n), Yb] - 1) / n
    return d
