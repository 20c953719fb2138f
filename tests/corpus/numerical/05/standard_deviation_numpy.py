# differences, not seen: dvar
import numpy as np

def dvar(dxhat, x, mean, var):
    d, a, m, v = (t.numpy() for t in (dxhat, x, mean, var))
    step = 1e-3 * v
    f = lambda s: (d * (a - m) / np.sqrt(s + 1e-5)).sum(0)
    total = sum(c * f(v + k * step) for k, c in zip((-4, -3, -2, -1, 1, 2, 3, 4), (3, -32, 168, -672, 672, -168, 32, -3)))
    return torch.from_numpy(total / (840 * step))
