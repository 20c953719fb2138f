# complex numbers: dbeta
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        z = v.to(torch.complex128)
        z[i] += 1e-20j
        g[i] = f(z).imag / 1e-20
    return g

# in backward:
grads["dbeta"] = slope(lambda v: stable_loss({**params, "beta": v, "gamma": gamma}, Xb, Yb, eps), beta)
