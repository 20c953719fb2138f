"""The softmax, with another sign and another axis.

lesson: 12
by: both
dz: failed | = The gradient of `z` is zero in 66 of 147 elements of one problem: changing those changes nothing that
    is computed from `z`. Yours is not zero there, for example in [0, 0, 0]. Which elements does the forward pass
    read?
"""


def dz(dp, p):
    return p * (dp + (dp * p).sum(1, keepdim=True))
