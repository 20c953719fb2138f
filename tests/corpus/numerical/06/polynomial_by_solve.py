# differences: dbeta
def slope(f, v):
    t = torch.linspace(-0.04, 0.04, 9, dtype=v.dtype)
    powers = t[:, None] ** torch.arange(9)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        values = []
        for s in t:
            w = v.clone()
            w[i] = w[i] + s
            values.append(f(w))
        g[i] = torch.linalg.solve(powers, torch.stack(values))[1]
    return g
