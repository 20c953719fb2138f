# differences: dbeta
H = 1e-3
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(len(v)):
        e = torch.zeros_like(v)
        e[i] = H
        g[i] = (f(v - 2 * e) - 8 * f(v - e) + 8 * f(v + e) - f(v + 2 * e)) / (12 * H)
    return g
