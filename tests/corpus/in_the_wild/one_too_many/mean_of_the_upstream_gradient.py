"""A term that is zero with another value in it.

lesson: 02
by: both
dX: failed | = In `dh @ W.T + dh.mean()`, `dh.mean()` is one too many. Without it, your `dX` is right. What is
    the local derivative of the forward line?
dh_norm: failed | = In `dh_bn * gamma + dh_bn.mean(0)`, `dh_bn.mean(0)` is one too many. Without it, your
    `dh_norm` is right. What is the local derivative of the forward line?
"""


def dX(dh, W):
    return dh @ W.T + dh.mean()


def dh_norm(dh_bn, gamma):
    return dh_bn * gamma + dh_bn.mean(0)
