"""Batch norm divided by `std`, which has Bessel's correction and no small number.

lesson: 02
by: both
dh: failed | = `h.std(0)` is not the root that the forward pass divides by: look at the small number under it, and at
    what the variance is divided by. With that root in its place, your `dh` is right.
"""


def dh(dh_norm, h_norm, h):
    return (dh_norm - dh_norm.mean(0) - h_norm * (dh_norm * h_norm).mean(0)) / h.std(0)
