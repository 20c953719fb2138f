# differences: dbeta
H = 1.0 / (1 << 9)

def slope(f, v):
    g = v.new_zeros(v.shape)
    for i in range(v.numel()):
        a, b, c, d = (v.clone() for _ in range(4))
        a[i], b[i], c[i], d[i] = a[i] + H, b[i] - H, c[i] + 2 * H, d[i] - 2 * H
        g[i] = (8 * (f(a) - f(b)) - f(c) + f(d)) / (12 * H)
    return g
