"""The softmax, with another sign and another axis.

lesson: 12
by: both
dz: failed | = Change two things, and your `dz` is right: the sign before
    `(dp * p).sum(1, keepdim=True)`, and axis 1 in `(dp * p).sum(1, keepdim=True)`.
"""


def dz(dp, p):
    return p * (dp + (dp * p).sum(1, keepdim=True))
