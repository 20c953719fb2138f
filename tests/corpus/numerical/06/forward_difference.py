# differences: dbeta
def slope(f, v, h=1e-7):
    base = f(v)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        moved = v.clone()
        moved[i] = moved[i] + h
        g[i] = (f(moved) - base) / h
    return g
