# own differentiation: dgamma
def pair(value, slope):
    return torch.stack([torch.stack([value, slope], -1), torch.stack([torch.zeros_like(value), value], -1)], -2)

def through(m, value, local):
    return pair(value, local * m[..., 0, 1])

# in backward:
g = torch.zeros_like(gamma)
for k in range(len(gamma)):
    seed = torch.zeros_like(gamma)
    seed[k] = 1.0
    scaled = pair(gamma, seed).expand(*xhat.shape, 2, 2) @ pair(xhat, torch.zeros_like(xhat))
    raw = scaled + pair(beta, torch.zeros_like(beta))
    t = torch.tanh(raw[..., 0, 0])
    act = through(raw, t, 1 - t**2)
    logits_pair = torch.einsum("ijab,jk->ikab", act, W2) + pair(b2, torch.zeros_like(b2))
    z = logits_pair[..., 0, 0]
    e = torch.exp(z - z.max(1, keepdim=True).values)
    moved = through(logits_pair, e, e)
    total = moved.sum(1)
    log_total = through(total, total[..., 0, 0].log(), 1 / total[..., 0, 0])
    each = log_total - logits_pair[range(len(Yb)), Yb]
    g[k] = each[..., 0, 1].mean()
grads["dgamma"] = g
