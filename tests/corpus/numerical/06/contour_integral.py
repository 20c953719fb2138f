# complex numbers: dbeta
import cmath, math

def slope(f, v, points=16, radius=0.05):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        total = 0.0
        for k in range(points):
            turn = cmath.rect(1.0, 2 * math.pi * k / points)
            z = v.to(torch.cdouble)
            z[i] = z[i] + radius * turn
            total = total + f(z) / turn
        g[i] = total.real / points / radius
    return g

# in backward:
grads["dbeta"] = slope(lambda v: stable_loss({**params, "beta": v, "gamma": gamma}, Xb, Yb, eps), beta)
