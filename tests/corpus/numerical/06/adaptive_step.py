# differences: dbeta
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        h = 1e-5 * max(1.0, abs(v[i].item()))
        a, b = v.clone(), v.clone()
        a[i] += h
        b[i] -= h
        g[i] = (f(a) - f(b)) / (a[i] - b[i])
    return g
