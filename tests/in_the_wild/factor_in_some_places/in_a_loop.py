"""A division by n reaches the elements of the true classes only.

lesson: 04
dlogits: failed | it is exactly n times what it should be (here
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    for i in range(n):
        d[i, Yb[i]] = d[i, Yb[i]] / n - 1 / n
    return d
