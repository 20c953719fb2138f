# differences: dbeta
def slope(f, v):
    h = 1e-3
    offsets = torch.tensor([-2.0, -1.0, 1.0, 2.0], dtype=v.dtype) * h
    weights = torch.tensor([1.0, -8.0, 8.0, -1.0], dtype=v.dtype) / (12 * h)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        column = torch.zeros_like(v)
        column[i] = 1
        values = torch.stack([f(v + o * column) for o in offsets])
        g[i] = values @ weights
    return g
