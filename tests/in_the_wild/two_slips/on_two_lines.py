"""Two slips in two statements: a root without the small number, and another sign.

lesson: 02
by: both
dh: failed | = Change two things, and your `dh` is right: `h_var` in `torch.sqrt(h_var)`, and
    the sign before `h_norm * (dh_norm * h_norm).mean(0)`.
"""


def dh(dh_norm, h_norm, h_var):
    deviation = torch.sqrt(h_var)
    return (dh_norm - dh_norm.mean(0) + h_norm * (dh_norm * h_norm).mean(0)) / deviation
