"""`var` divides by N - 1 by default.

lesson: 05
by: dojo
dh: failed | = `h.var(0)` is not what the forward pass divides by: look at Bessel's correction, and at the small
    number. With that changed, your `dh` is right.
"""

def dh(dh_bn, gamma, h_norm, h, N):
    return gamma / (h.var(0) + 1e-5).sqrt() * (dh_bn - dh_bn.mean(0) - h_norm * (dh_bn * h_norm).mean(0))
