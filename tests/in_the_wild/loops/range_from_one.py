"""The examples are counted from 1.

lesson: 04
dlogits: failed | = `range(1, n)` begins with 1, so place 0 is left out. With `range(n)`, your `dlogits` is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    for i in range(1, n):
        d[i, Yb[i]] -= 1
    return d / n
