"""The square of the size of a head for its root, and half of it.

lesson: 12
by: both
dq: failed | = The exponent 2 in `dscores @ k / k.shape[2] ** 2` is not the right one. With another one, your `dq` is
    right. Which number does the derivative of the forward line have there?
dk: failed | = Your `dk` is a multiple of the gradient, 0.894427 times on one problem and 1.41421 times on another.
    Which sizes make up that factor?
"""


def dq(dscores, k):
    return dscores @ k / k.shape[2] ** 2


def dk(dscores, q):
    return dscores.transpose(1, 2) @ q / (q.shape[2] * 0.5)
