"""The path through the variance is forgotten.

lesson: 05
by: dojo
dhprebn: failed | = In your `dhprebn`, the part that comes back through `bnvar_inv` is missing. The rest is right.
"""

def dhprebn(dhpreact, bngain, bnvar_inv, n):
    d = bngain * bnvar_inv * dhpreact
    return d - d.mean(0, keepdim=True)
