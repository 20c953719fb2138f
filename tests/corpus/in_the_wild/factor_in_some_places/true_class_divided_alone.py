"""A division by n reaches the elements of the true classes only.

lesson: 04
dlogits: failed | 35 of 40 elements are wrong
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    d[range(n), Yb] = (d[range(n), Yb] - 1) / n
    return d
