# a look-alike
import numpy as np

def dx(dy, scale, x):
    g, s, v = dy.numpy(), scale.numpy(), x.numpy()
    eps = 1e-5
    mu = v.mean(-1, keepdims=True)
    r = 1.0 / np.sqrt(((v - mu) ** 2).mean(-1, keepdims=True) + eps)
    xhat, d = (v - mu) * r, g * s
    return torch.from_numpy(r * (d - d.mean(-1, keepdims=True) - xhat * (d * xhat).mean(-1, keepdims=True)))
