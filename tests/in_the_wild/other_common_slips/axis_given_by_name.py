"""The axis of the softmax is a keyword.

lesson: 04
by: dojo
dlogits: failed | = Axis 0 in `F.softmax(logits, dim=0)` is not the right one. With another axis, your `dlogits` is
    right. Which axes does the forward line work on?
in_one_go: failed
"""

def dlogits(logits, Yb, n):
    p = F.softmax(logits, dim=0)
    p[range(n), Yb] -= 1
    return p / n
