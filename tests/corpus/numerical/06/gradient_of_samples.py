# differences: dbeta
import numpy as np

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        w = v.clone()
        samples = []
        for k in range(-2, 3):
            w[i] = v[i] + k * 1e-3
            samples.append(f(w).item())
        fine, coarse = np.gradient(samples, 1e-3)[2], np.gradient(samples[::2], 2e-3)[1]
        g[i] = (4 * fine - coarse) / 3
    return g
