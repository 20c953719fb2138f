# === layer_norm_differences: differences: dx
def layer(v, scale):
    c = v - v.mean(-1, keepdim=True)
    return scale * c * ((c**2).mean(-1, keepdim=True) + 1e-5).rsqrt()

def dx(dy, scale, x, eps=1e-4):
    g = torch.empty_like(x)
    for k in range(x.shape[-1]):
        moved = [x.clone() for _ in range(4)]
        for tensor, times in zip(moved, (1, -1, 2, -2)):
            tensor[..., k] += times * eps
        a, b, c, d = (layer(tensor, scale) for tensor in moved)
        g[..., k] = (dy * (8 * (a - b) - (c - d))).sum(-1) / (12 * eps)
    return g

# === layer_norm_jvp_per_feature: own differentiation: dx
def tangent(x, t):
    mu, tmu = x.mean(-1, keepdim=True), t.mean(-1, keepdim=True)
    c, tc = x - mu, t - tmu
    v, tv = (c * c).mean(-1, keepdim=True) + 1e-5, 2 * (c * tc).mean(-1, keepdim=True)
    return tc * v**-0.5 - 0.5 * c * v**-1.5 * tv

def dx(dy, scale, x):
    out = torch.zeros_like(x)
    for j in range(x.shape[-1]):
        e = torch.eye(x.shape[-1], dtype=x.dtype)[j]
        out[..., j] = (dy * scale * tangent(x, e.expand_as(x))).sum(-1)
    return out

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
