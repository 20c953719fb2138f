# differences, not seen: dbndiff2 dbnvar
def dbnvar(dbnvar_inv, bnvar):
    h = 1e-3 * (bnvar + 1e-5)
    f = lambda v: (v + 1e-5) ** -0.5
    first = (f(bnvar + h) - f(bnvar - h)) / (2 * h)
    second = (f(bnvar + h / 2) - f(bnvar - h / 2)) / h
    third = (f(bnvar + h / 4) - f(bnvar - h / 4)) / (h / 2)
    a, b = (4 * second - first) / 3, (4 * third - second) / 3
    return dbnvar_inv * (16 * b - a) / 15

def dbndiff2(dbnvar, bndiff2, n):
    f = lambda v: 1 / (n - 1) * v.sum(0, keepdim=True)
    g = torch.zeros_like(bndiff2)
    for i in range(g.shape[0]):
        e = torch.zeros_like(bndiff2)
        e[i] = 1
        g[i] = (dbnvar * (f(bndiff2 + e) - f(bndiff2 - e)) / 2).sum(0)
    return g
