# differences: dbeta
def step():
    return 1e-3

def slope(f, v):
    g, h = torch.zeros_like(v), step()
    for i in range(v.numel()):
        e = torch.zeros_like(v)
        e[i] = h
        g[i] = (8 * (f(v + e) - f(v - e)) - f(v + 2 * e) + f(v - 2 * e)) / 12
    return g / h
