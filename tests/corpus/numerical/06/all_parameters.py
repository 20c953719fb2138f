# differences: dgamma dbeta db2
def slopes(f, tensors, h=1e-3):
    found = []
    for t in tensors:
        g = torch.zeros_like(t)
        for i in range(t.numel()):
            old = t[i].clone()
            values = {}
            for k in (-2, -1, 1, 2):
                t[i] = old + k * h
                values[k] = f()
            t[i] = old
            g[i] = (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * h)
        found.append(g)
    return found

# in backward:
own = [gamma.clone(), beta.clone(), b2.clone()]
names = ["gamma", "beta", "b2"]
f = lambda: loss_of({**params, **dict(zip(names, own))}, Xb, Yb, eps)
grads["dgamma"], grads["dbeta"], grads["db2"] = slopes(f, own)
