"""Operations that refuse what they are given: a shift of floats, `tensordot` along unequal axes, the maximum of nothing.

lesson: 03
dhpreact: error | = NotImplementedError: "lshift_cpu" not implemented for 'Double'. `<<` and `>>` shift the bits of
    integers. A comparison is written `<` or `>`, a power of two `2**n`.
dW2: error | `tensordot` multiplies and adds up along pairs of axes of equal size: the last ones of the first tensor and
    the first ones of the second, unless you name them, as in `dims=([0, 1], [0, 1])`.
db2: error | = IndexError: max(): Expected reduction dim 1 to have non-zero size. This tensor has no elements, so it has
    no largest or smallest one. Does a slice begin after the end of its tensor?
"""

import torch


def dhpreact(dh, h):
    return dh << 1 - h**2


def dW2(dlogits, h):
    return torch.tensordot(h, dlogits, dims=1)


def db2(dlogits):
    return dlogits[:, :0].max(1).values
