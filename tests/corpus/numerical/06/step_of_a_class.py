# differences: dbeta
class Settings:
    STEP = 1e-3

def slope(f, v):
    rows = []
    for i in range(v.numel()):
        def at(k):
            w = v.clone()
            w[i] = w[i] + k * Settings.STEP
            return f(w)
        rows.append((8 * at(1) - 8 * at(-1) - at(2) + at(-2)) / (12 * Settings.STEP))
    return torch.stack(rows)
