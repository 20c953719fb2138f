# === layer_norm_variance: differences: dvar
def dvar(dinv_std, var):
    def f(v):
        return (v + 1e-5) ** -0.5
    h = var * 1e-3
    fourth = lambda s: (8 * (f(var + s) - f(var - s)) - f(var + 2 * s) + f(var - 2 * s)) / (12 * s)
    return dinv_std * (16 * fourth(h / 2) - fourth(h)) / 15

# === numpy_formulas: a look-alike
import numpy as np

def dx(dy, scale, x):
    g, s, v = dy.numpy(), scale.numpy(), x.numpy()
    eps = 1e-5
    mu = v.mean(-1, keepdims=True)
    r = 1.0 / np.sqrt(((v - mu) ** 2).mean(-1, keepdims=True) + eps)
    xhat, d = (v - mu) * r, g * s
    return torch.from_numpy(r * (d - d.mean(-1, keepdims=True) - xhat * (d * xhat).mean(-1, keepdims=True)))
