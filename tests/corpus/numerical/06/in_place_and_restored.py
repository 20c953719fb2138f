# differences: dbeta
def slope(f, v):
    h, g = 1e-5, torch.zeros_like(v)
    for i in range(v.numel()):
        old = v[i].item()
        v[i] = old + h
        plus = f(v)
        v[i] = old - h
        minus = f(v)
        v[i] = old
        g[i] = (plus - minus).div(2 * h)
    return g

# in backward:
grads["dbeta"] = slope(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta.clone())
