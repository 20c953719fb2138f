# differences: dbeta
def weights(nodes):
    found = []
    for j, a in enumerate(nodes):
        total = 0.0
        for m, b in enumerate(nodes):
            if m != j:
                term = 1 / (a - b)
                for l, c in enumerate(nodes):
                    if l not in (j, m):
                        term *= -c / (a - c)
                total += term
        found.append(total)
    return found

NODES = [-0.03, -0.02, -0.01, 0.01, 0.02, 0.03]

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        for w, t in zip(weights(NODES), NODES):
            moved = v.clone()
            moved[i] += t
            g[i] += w * f(moved)
    return g
