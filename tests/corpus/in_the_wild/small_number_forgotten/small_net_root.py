"""The root without the 1e-5.

lesson: 02
by: dojo
dh: failed | = The 1e-5 is missing: the forward pass adds it before it takes the root or the power, and
    `h_var.sqrt()` uses `h_var` alone. With it, your `dh` is right.
"""

def dh(dh_norm, h_norm, h_var, N):
    std = h_var.sqrt()
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (h_norm * dh_norm).sum(0)) / (N * std)
