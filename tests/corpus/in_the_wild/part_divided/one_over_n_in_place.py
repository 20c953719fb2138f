"""The one is divided in place, the softmax is not.

lesson: 02
by: dojo
dlogits: failed | = In `d = F.softmax(logits, 1)`, a part is not divided by `N`. Divided by it in the right
    place, your `dlogits` is right.
others: passed
"""

def dlogits(logits, Y, N):
    d = F.softmax(logits, 1)
    d[range(N), Y] -= 1 / N
    return d
