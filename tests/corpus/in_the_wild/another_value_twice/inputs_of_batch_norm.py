"""`h` in both places of the normalised value.

lesson: 05
by: both
dh: failed | = In `return gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.mean(0) - h ...`, look at each `h`:
    another value belongs there. With it, your `dh` is right. Which value does the forward pass use there?
"""

def dh(dh_bn, gamma, h, h_var, N):
    return gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.mean(0) - h * (dh_bn * h).mean(0))
