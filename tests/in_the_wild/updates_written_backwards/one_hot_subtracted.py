"""`=-` sets the label's probability to minus one.

lesson: 04
by: both
dlogits: failed | = `d[range(len(Yb)), Yb] =- 1` overwrites what was there before. If it adds to the old value instead,
    your `dlogits` is right.
others: any
"""


def dlogits(logits, Yb):
    d = F.softmax(logits, 1)
    d[range(len(Yb)), Yb] =- 1
    d /= len(Yb)
    return d
