# differences: dbeta
def slope(f, v, h=float("1e-3")):
    g = torch.zeros_like(v)
    it = 0
    while it < v.numel():
        w = v.clone()
        w[it] += h
        p1 = f(w)
        w[it] += h
        p2 = f(w)
        w[it] -= 3 * h
        m1 = f(w)
        w[it] -= h
        m2 = f(w)
        g[it] = (8 * (p1 - m1) - (p2 - m2)) / (12 * h)
        it += 1
    return g
