# differences: dbeta
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        p1, m1, p2, m2 = v.clone(), v.clone(), v.clone(), v.clone()
        p1[i] += 1e-3
        m1[i] -= 1e-3
        p2[i] += 2e-3
        m2[i] -= 2e-3
        g[i] = (8 * (f(p1) - f(m1)) - (f(p2) - f(m2))) / 1.2e-2
    return g
