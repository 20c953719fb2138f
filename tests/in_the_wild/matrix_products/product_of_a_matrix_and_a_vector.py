"""A matrix product where every element has its own factor.

lesson: 02
by: both
dh_norm: shape | = `dh_bn @ gamma` is a matrix product, which also sums. Multiplied element by element, your
    `dh_norm` is right. What is the local derivative of the forward line?
"""


def dh_norm(dh_bn, gamma):
    return dh_bn @ gamma
