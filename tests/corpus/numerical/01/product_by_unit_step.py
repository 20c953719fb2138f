# differences, not seen: dleft
def dleft(dmatmul, left, right):
    f = lambda m: m @ right
    g = torch.zeros_like(left)
    for i in range(left.shape[0]):
        for j in range(left.shape[1]):
            e = torch.zeros_like(left)
            e[i, j] = 1.0
            g[i, j] = (dmatmul * (f(left + e) - f(left))).sum()
    return g
