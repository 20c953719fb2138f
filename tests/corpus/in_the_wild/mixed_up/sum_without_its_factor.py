"""A sum lacks a factor.

lesson: 05
dh: failed | = In `dh_bn.sum(0)`, a part lacks the factor `h_norm`. With it, your `dh` is right. What is the
    local derivative of the forward line?
"""

def dh(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (h_var + 1e-5).sqrt() / N * (N * dh_bn - dh_bn.sum(0) - h_norm * dh_bn.sum(0))
