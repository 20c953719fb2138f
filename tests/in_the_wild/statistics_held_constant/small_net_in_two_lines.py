"""Stops after the division by the standard deviation.

lesson: 02
by: dojo
dh: failed | = Your `dh` treats `h_var` and `h_mean` as constants. They are computed from `h`, so the gradient also
    comes back through them. The rest is right.
others: passed
"""

def dh(dh_norm, h_var):
    std = torch.sqrt(h_var + 1e-5)
    return dh_norm / std
