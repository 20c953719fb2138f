"""Results rounded as they are shown.

lesson: 04
by: both
dlogits: failed | = `(p / n).round(decimals=3)` rounds. Without the rounding, your `dlogits` is right.
in_one_go: failed
"""

def dlogits(logits, Yb, n):
    p = F.softmax(logits, 1)
    p[range(n), Yb] -= 1
    return (p / n).round(decimals=3)
