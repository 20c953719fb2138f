# differences: dbeta
def slope(f, v):
    h = torch.finfo(v.dtype).eps ** (1 / 5)
    out = torch.empty_like(v)
    for i, old in enumerate(v.tolist()):
        w = v.clone()
        values = []
        for k in (-2, -1, 1, 2):
            w[i] = old + k * h
            values.append(f(w))
        out[i] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / 12 / h
    return out
