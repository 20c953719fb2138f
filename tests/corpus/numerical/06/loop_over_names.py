# differences: dbeta
def slope(f, v, h=1e-5):
    g = torch.zeros_like(v)
    flat, out = v.view(-1), g.view(-1)
    for i in range(v.numel()):
        old = flat[i].clone()
        flat[i] = old + h
        plus = f()
        flat[i] = old - h
        minus = f()
        flat[i] = old
        out[i] = (plus - minus) / (2 * h)
    return g

# in backward:
params["beta"] = params["beta"].clone()
grads["dbeta"] = slope(lambda: loss_of(params, Xb, Yb, eps), params["beta"])
