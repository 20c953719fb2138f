# by: dojo

# === small_net_root: The root without the 1e-5.
# lesson: 02
# dh: failed | = The 1e-5 is missing: the forward pass adds it before it takes the root or the power, and
#     `h_var.sqrt()` uses `h_var` alone. With it, your `dh` is right.

def dh(dh_norm, h_norm, h_var, N):
    std = h_var.sqrt()
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (h_norm * dh_norm).sum(0)) / (N * std)

# === whole_network: The whole backward pass with a bare root.
# lesson: 06
# dW, demb, dC: failed | = The 1e-5 is missing: the forward pass adds it before it takes the root or the power, and
#     `var.sqrt()` uses `var` alone. With it, this gradient is right.
# db: failed | zeros are right without any work

# instead of: dx = (dxhat
dx = (dxhat - from_mean - from_variance) / var.sqrt()
