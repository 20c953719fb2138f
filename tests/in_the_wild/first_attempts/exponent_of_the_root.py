"""The square of the size of a head for its root, and half of it.

lesson: 12
by: both
dq: failed | = The exponent 2 in `dscores @ k / k.shape[2] ** 2` is not the right one. With another one, your `dq` is
    right. Which number does the derivative of the forward line have there?
dk: failed | `q.shape[2] * 0.5` multiplies by 0.5. With 0.5 as an exponent, your `dk` is right
"""


def dq(dscores, k):
    return dscores @ k / k.shape[2] ** 2


def dk(dscores, q):
    return dscores.transpose(1, 2) @ q / (q.shape[2] * 0.5)
