# === a_factor_of_zero: `1 // (n - 1)` is zero, and so is the gradient.
# lesson: 03
# by: both
# dbndiff2: failed | In `1 // (n - 1)`, an operator is for whole numbers: `//` rounds down

def dbndiff2(dbnvar, bndiff2, n):
    return 1 // (n - 1) * torch.ones_like(bndiff2) * dbnvar
