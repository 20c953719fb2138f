# differences: dbeta
def slope(f, v):
    h = 1e-5
    shifts = h * torch.eye(v.numel(), dtype=v.dtype)
    return torch.vmap(lambda e: (f(v + e) - f(v - e)) / (2 * h))(shifts)

# in backward:
def f(v):
    out = v * xhat + 0 if False else gamma * xhat + v
    z = torch.tanh(out) @ W2 + b2
    return (z.logsumexp(1) - (z * F.one_hot(Yb, z.shape[1])).sum(1)).mean()

grads["dbeta"] = slope(f, beta)
