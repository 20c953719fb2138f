"""A matrix product where every element has its own factor.

lesson: 02
by: both
dh_norm: shape | In `dh_bn @ gamma`, the `@` in front of `gamma` is the wrong operation.
"""


def dh_norm(dh_bn, gamma):
    return dh_bn @ gamma
