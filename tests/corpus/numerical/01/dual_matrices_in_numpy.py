# own differentiation: dbase
import numpy as np

def dbase(dpower, base):
    g = torch.zeros_like(base)
    for place in np.ndindex(*base.shape):
        root = base[place].item() ** 0.5
        dual = np.array([[root, 0.5 / root], [0.0, root]])
        g[place] = np.linalg.inv(dual)[0, 1]
    return dpower * g
