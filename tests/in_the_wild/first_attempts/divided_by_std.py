"""Batch norm divided by `std`, which has Bessel's correction and no small number.

lesson: 02
by: both
dh: failed | The value is wrong: the error is
"""


def dh(dh_norm, h_norm, h):
    return (dh_norm - dh_norm.mean(0) - h_norm * (dh_norm * h_norm).mean(0)) / h.std(0)
