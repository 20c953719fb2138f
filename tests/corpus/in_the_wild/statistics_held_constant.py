# by: dojo

# === layer_norm_direct_path: Layer norm with the direct path alone.
# lesson: 11
# dx: failed | = In your `dx`, the part that comes back through `rstd` and `mu` does not reach what you return. The
#     rest is right.

def dx(dy, scale, rstd):
    dxhat = dy * scale
    return dxhat * rstd
