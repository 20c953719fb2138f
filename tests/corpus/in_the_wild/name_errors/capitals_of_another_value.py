"""Lesson 17 has `dy` and `dY`: the one that belongs to this gradient is meant, not the other one.

lesson: 17
by: both
dB: error | NameError: name 'dy' is not defined. `dy` and `dY` are two names here. Do you mean `dY`?
db: error | NameError: name 'dY' is not defined. `dY` and `dy` are two names here. Do you mean `dy`?
dw: error | NameError: name 'W' is not defined. `W` and `w` are two names here. Do you mean `w`?
"""


def dB(dY):
    return dy.sum((0, 2, 3))


def db(dy):
    return dY.sum((0, 2))


def dw(dy, x, w, stride, padding):
    return x.unfold(2, W.shape[2], stride)
