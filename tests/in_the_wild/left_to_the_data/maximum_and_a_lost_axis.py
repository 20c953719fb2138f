"""`max()` for a stable softmax makes nothing as long as the data need; the sum loses its axis.

lesson: 04
by: both
dlogits: error | Is a sum over the wrong axis, without `keepdim=True`
in_one_go: error
"""

def dlogits(logits, Yb, n):
    c = (logits - logits.max()).exp()
    p = c / c.sum(1)
    p[range(n), Yb] -= 1
    return p / n
