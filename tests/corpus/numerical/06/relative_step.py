# differences: dbeta
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down, up2, down2 = v.clone(), v.clone(), v.clone(), v.clone()
        up[i] *= 1 + 1e-2
        down[i] *= 1 - 1e-2
        up2[i] *= 1 + 2e-2
        down2[i] *= 1 - 2e-2
        g[i] = (8 * (f(up) - f(down)) - f(up2) + f(down2)) / (12 * 1e-2 * v[i])
    return g
