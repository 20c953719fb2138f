# differences: dbeta
# in backward:
step = eps
out = torch.zeros_like(beta)
for i in range(len(beta)):
    a, b_ = beta.clone(), beta.clone()
    a[i] += 1e2 * step
    b_[i] -= 1e2 * step
    c, d = beta.clone(), beta.clone()
    c[i] += 2e2 * step
    d[i] -= 2e2 * step
    f = lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps)
    out[i] = (8 * (f(a) - f(b_)) - (f(c) - f(d))) / (12e2 * step)
grads["dbeta"] = out
