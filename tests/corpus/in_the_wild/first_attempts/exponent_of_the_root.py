"""The square of the size of a head for its root, and half of it.

lesson: 12
by: both
dq: failed | = The exponent 2 in `dscores @ k / k.shape[2] ** 2` is not the right one. With another one, your
    `dq` is right.
dk: failed | = In `q.shape[2] * 0.5`, a power is missing. With `q.shape[2] ** 0.5`, your `dk` is right. What is
    the local derivative of the forward line?
"""


def dq(dscores, k):
    return dscores @ k / k.shape[2] ** 2


def dk(dscores, q):
    return dscores.transpose(1, 2) @ q / (q.shape[2] * 0.5)
