# own differentiation: db
# in backward:
def push(db):
    dx = db.expand_as(x)
    dc = dx - dx.mean(0)
    dv = 2 * ((x - mean) * dc).mean(0)
    dn = dc / torch.sqrt(var + eps) - 0.5 * (x - mean) * dv * (var + eps) ** -1.5
    dh = (1 - h * h) * gamma * dn
    return ((probs - F.one_hot(Yb, probs.shape[1])) * (dh @ W2)).sum() / n

grads["db"] = torch.vmap(push)(torch.eye(len(b), dtype=b.dtype))
