# differences: dbeta
WEIGHTS = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
def slope(f, v):
    h, g = 5e-3, torch.zeros_like(v)
    for i in range(v.numel()):
        total = 0.0
        for k, weight in WEIGHTS.items():
            moved = v.clone()
            moved[i] += k * h
            total = total + weight * f(moved)
        g[i] = total / h
    return g
