# differences: dlogits in_one_go
def dlogits(logits, Yb, n):
    h, g = 1e-4, torch.zeros_like(logits)
    for i in range(logits.shape[0]):
        for j in range(logits.shape[1]):
            def at(k):
                moved = logits.clone()
                moved[i, j] += k * h
                return F.cross_entropy(moved, Yb)
            g[i, j] = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    return g
