"""The small number stands after the root, outside of all brackets.

lesson: 02
dh: failed | = In `centred / h_var.sqrt() + 1e-5`, what follows the divisor is no part of it, because there are no
    brackets. With brackets around the whole divisor, your `dh` is right.
others: passed
"""


def dh(dh_norm, h_norm, h_var):
    centred = dh_norm - dh_norm.mean(0) - h_norm * (dh_norm * h_norm).mean(0)
    return centred / h_var.sqrt() + 1e-5
