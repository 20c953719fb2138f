"""The small number stands after the root, outside of all brackets.

lesson: 02
dh: failed | only `h_var.sqrt()` divides: without brackets, what follows it is no part of the divisor. Divided by
    `(h_var + 1e-5).sqrt()`, your `dh` is right.
others: passed
"""


def dh(dh_norm, h_norm, h_var):
    centred = dh_norm - dh_norm.mean(0) - h_norm * (dh_norm * h_norm).mean(0)
    return centred / h_var.sqrt() + 1e-5
