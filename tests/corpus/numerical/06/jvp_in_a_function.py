# own differentiation: db
def push(db, x, mean, var, eps, gamma, h, W2, probs, Yb, n):
    dx = db.expand_as(x)
    dc = dx - dx.mean(0)
    dv = 2 * ((x - mean) * dc).mean(0)
    dn = dc / torch.sqrt(var + eps) - 0.5 * (x - mean) * dv * (var + eps) ** -1.5
    dh = (1 - h * h) * gamma * dn
    return ((probs - F.one_hot(Yb, probs.shape[1])) * (dh @ W2)).sum() / n

# in backward:
g = torch.zeros_like(b)
for k in range(len(b)):
    unit = torch.zeros_like(b)
    unit[k] = 1
    g[k] = push(unit, x, mean, var, eps, gamma, h, W2, probs, Yb, n)
grads["db"] = g
