# differences, not seen: dexponent
import numpy as np

def dexponent(dexponential, exponent):
    h = 1e-2
    nodes = np.arange(-4, 5) * h
    values = np.exp(exponent.numpy()[..., None] + nodes)
    for _ in range(1):
        weights = np.array([3, -32, 168, -672, 0, 672, -168, 32, -3]) / 840
        slope = values @ weights / h
    return dexponential * torch.from_numpy(slope)
