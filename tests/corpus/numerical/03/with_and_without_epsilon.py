# right
def dbnvar(dbnvar_inv, bnvar):
    std, safe = bnvar.sqrt(), (bnvar + 1e-5).sqrt()
    if not torch.isfinite(1 / std).all():
        print("a variance of zero")
    return -0.5 * dbnvar_inv / (safe * safe * safe)
