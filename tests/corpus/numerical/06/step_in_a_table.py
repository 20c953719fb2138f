# differences: dbeta
CONFIG = {"h": 1e-3, "order": 4}

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        e = torch.zeros_like(v)
        e[i] = CONFIG["h"]
        g[i] = (8 * (f(v + e) - f(v - e)) - f(v + 2 * e) + f(v - 2 * e)) / (12 * CONFIG["h"])
    return g
