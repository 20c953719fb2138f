"""Batch norm divided by `std`, which has Bessel's correction and no small number.

lesson: 02
by: both
dh: failed | = `h.std(0)` is not what the forward pass divides by: look at Bessel's correction, and at the small
    number. With that changed, your `dh` is right.
"""


def dh(dh_norm, h_norm, h):
    return (dh_norm - dh_norm.mean(0) - h_norm * (dh_norm * h_norm).mean(0)) / h.std(0)
