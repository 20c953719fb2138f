# by: dojo

# === layer_norm_direct_path: Layer norm with the direct path alone.
# lesson: 11
# dx: failed | = In your `dx`, the part that comes back through `rstd` and `mu` is missing. The rest is right.

def dx(dy, scale, rstd):
    dxhat = dy * scale
    return dxhat * rstd

# === lecture_batch_norm_mean_only: The path through the variance is forgotten.
# lesson: 05
# dhprebn: failed | = In your `dhprebn`, the part that comes back through `bnvar_inv` is missing. The rest is right.

def dhprebn(dhpreact, bngain, bnvar_inv, n):
    d = bngain * bnvar_inv * dhpreact
    return d - d.mean(0, keepdim=True)
