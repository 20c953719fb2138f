# own differentiation: dgamma
def mul(a, b):
    return torch.stack([a[0] * b[0], a[0] * b[1] + a[1] * b[0]])

def tanh(a):
    t = torch.tanh(a[0])
    return torch.stack([t, (1 - t**2) * a[1]])

# in backward:
g = []
for i in range(len(gamma)):
    e = F.one_hot(torch.tensor(i), len(gamma)).to(gamma.dtype)
    pre = mul(torch.stack([gamma.expand_as(xhat), e.expand_as(xhat)]), torch.stack([xhat, torch.zeros_like(xhat)]))
    act = tanh(pre + torch.stack([beta, torch.zeros_like(beta)])[:, None, :])
    z, dz = act[0] @ W2 + b2, act[1] @ W2
    g.append(((z.softmax(1) - F.one_hot(Yb, z.shape[1])) * dz).sum() / n)
grads["dgamma"] = torch.stack(g)
