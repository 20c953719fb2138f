"""Only the softmax is divided.

lesson: 02
by: dojo
dlogits: failed | = In `F.softmax(logits, 1) / N - F.one_hot(Y, logits.shape[1])`, the division by `N` applies to
    `F.softmax(logits, 1)` only, because it comes before `+` and `-`. Should it apply to both terms? With
    brackets around them, your `dlogits` is right.
others: passed
"""

def dlogits(logits, Y, N):
    return F.softmax(logits, 1) / N - F.one_hot(Y, logits.shape[1])
