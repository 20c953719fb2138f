# differences: dbeta
def slope(f, v):
    h = 1e-5
    inv = 0.5 / h
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone(), v.clone()
        up[i] += h
        down[i] -= h
        g[i] = inv * (f(up) - f(down))
    return g
