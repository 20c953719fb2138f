"""A matrix product where every element has its own factor.

lesson: 02
by: both
dh_norm: shape | Your result equals the gradient after a sum over axis 1.
"""


def dh_norm(dh_bn, gamma):
    return dh_bn @ gamma
