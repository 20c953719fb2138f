# differences: dbeta
def slope(f, v, h=1e-5):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone(), v.clone()
        up[i] += h
        down[i] -= h
        g[i] = (f(up) - f(down)) / (2 * h)
    return g
