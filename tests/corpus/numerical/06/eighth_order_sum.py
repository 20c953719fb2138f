# differences: dbeta
COEFFICIENTS = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
def slope(f, v):
    delta = 1e-2
    basis = torch.eye(v.numel(), dtype=v.dtype)
    return torch.stack([sum(c * (f(v + k * delta * e) - f(v - k * delta * e)) for k, c in COEFFICIENTS) for e in basis]) / delta
