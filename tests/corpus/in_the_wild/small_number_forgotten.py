# by: dojo

# === whole_network: The whole backward pass with a bare root.
# lesson: 06
# dW, demb, dC: failed | = The 1e-5 is missing: the forward pass adds it before it takes the root or the power, and
#     `var.sqrt()` uses `var` alone. With it, this gradient is right.
# db: failed | zeros are right without any work

# instead of: dx = (dxhat
dx = (dxhat - from_mean - from_variance) / var.sqrt()
