"""The pull on the true class has the other sign.

lesson: 04
dlogits: failed | = In `1 - d[range(n), Yb]`, the two terms have changed places. The other way round, your `dlogits`
    is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    d[range(n), Yb] = 1 - d[range(n), Yb]
    return d / n
