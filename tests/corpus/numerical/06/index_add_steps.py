# differences: dbeta
def slope(f, v):
    h, g = 1e-5, []
    for i in range(v.numel()):
        at = torch.tensor([i])
        up = v.index_add(0, at, torch.full((1,), h, dtype=v.dtype))
        down = v.index_add(0, at, torch.full((1,), -h, dtype=v.dtype))
        g.append(torch.true_divide(f(up) - f(down), 2 * h))
    return torch.stack(g)
