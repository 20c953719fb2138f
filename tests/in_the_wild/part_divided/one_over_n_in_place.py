"""The one is divided in place, the softmax is not.

lesson: 02
by: dojo
dlogits: failed | = The value is wrong: the error is 2.7 of the gradient's size. Worst element [2, 3]: found
    0.897965634, expected 0.224491408.
others: passed
"""

def dlogits(logits, Y, N):
    d = F.softmax(logits, 1)
    d[range(N), Y] -= 1 / N
    return d
