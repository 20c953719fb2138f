# differences: dbeta
def quotient(f, v, i, h):
    a, b = v.clone(), v.clone()
    a[i] += h
    b[i] -= h
    return (f(a) - f(b)) / (2 * h)

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        d1, d2, d4 = (quotient(f, v, i, step) for step in (4e-2, 2e-2, 1e-2))
        e1, e2 = (4 * d2 - d1) / 3, (4 * d4 - d2) / 3
        g[i] = (16 * e2 - e1) / 15
    return g
