"""`max()` for a stable softmax makes nothing as long as the data need; the sum loses its axis.

lesson: 04
by: both
dlogits: error | `c.sum(1)`: does the result need the axis that this sums over? `keepdim` decides it. With that changed,
    your `dlogits` is right.
in_one_go: error
"""

def dlogits(logits, Yb, n):
    c = (logits - logits.max()).exp()
    p = c / c.sum(1)
    p[range(n), Yb] -= 1
    return p / n
