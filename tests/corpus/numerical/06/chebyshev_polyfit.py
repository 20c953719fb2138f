# differences: dbeta
import numpy as np

def slope(f, v):
    nodes = 0.05 * np.cos(np.pi * (np.arange(12) + 0.5) / 12)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        values = []
        for t in nodes:
            w = v.clone()
            w[i] += float(t)
            values.append(float(f(w)))
        g[i] = np.polyfit(nodes, np.array(values), 9)[-2]
    return g
