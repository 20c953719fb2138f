"""`=-` sets the label's probability to minus one.

lesson: 04
by: both
dlogits: failed | assigns: `=-` is `=` and a sign. With `-=`, your `dlogits` is right.
others: any
"""


def dlogits(logits, Yb):
    d = F.softmax(logits, 1)
    d[range(len(Yb)), Yb] =- 1
    d /= len(Yb)
    return d
