"""`var` divides by N - 1 by default.

lesson: 05
by: dojo
dh: failed | = `h.var(0)` divides by the number of elements less one, as `var` does by default. Divided by the same
    number as in the forward pass, your `dh` is right.
"""

def dh(dh_bn, gamma, h_norm, h, N):
    return gamma / (h.var(0) + 1e-5).sqrt() * (dh_bn - dh_bn.mean(0) - h_norm * (dh_bn * h_norm).mean(0))
