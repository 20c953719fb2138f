"""The examples are counted from 1.

lesson: 04
dlogits: failed | = `range(1, n)` leaves out the first or the last place: a range begins with 0 and ends before
    its last number. With `range(n)`, your `dlogits` is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    for i in range(1, n):
        d[i, Yb[i]] -= 1
    return d / n
