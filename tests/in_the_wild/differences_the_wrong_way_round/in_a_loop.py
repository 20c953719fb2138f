"""The same, one example at a time.

lesson: 04
dlogits: failed | = In `1.0 - d[i, y]`, the two terms have changed places. The other way round, your `dlogits` is
    right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    for i, y in enumerate(Yb):
        d[i, y] = 1.0 - d[i, y]
    return d / n
