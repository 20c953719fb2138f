"""The last example is left out, as if a range held its end.

lesson: 04
dlogits: failed | = `range(n - 1)` leaves out the last place: a range ends before its last number anyway. With `range(n)`, your
    `dlogits` is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    for i in range(n - 1):
        d[i, Yb[i]] -= 1
    return d / n
