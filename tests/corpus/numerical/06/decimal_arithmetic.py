# differences: dbeta
from fractions import Fraction

def slope(f, v, h=Fraction(1, 2**17)):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        w = v.clone()
        w[i] += float(h)
        up = f(w)
        w[i] -= 2 * float(h)
        g[i] = (up - f(w)) / float(2 * h)
    return g
