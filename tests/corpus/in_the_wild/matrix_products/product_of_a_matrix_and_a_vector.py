"""A matrix product where every element has its own factor.

lesson: 02
by: both
dh_norm: shape | = In `dh_bn @ gamma`, the `@` in front of `gamma` is the wrong operation. With another one,
    your `dh_norm` is right. What is the local derivative of the forward line?
"""


def dh_norm(dh_bn, gamma):
    return dh_bn @ gamma
