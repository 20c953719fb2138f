# differences: dpositive
import math

def dpositive(dlogarithm, positive):
    out = torch.zeros_like(positive)
    for i in range(positive.shape[0]):
        for j in range(positive.shape[1]):
            v = positive[i, j].item()
            t = 1e-3
            d1 = math.log(v + t) - math.log(v - t)
            d2 = math.log(v + 2 * t) - math.log(v - 2 * t)
            d3 = math.log(v + 3 * t) - math.log(v - 3 * t)
            out[i, j] = dlogarithm[i, j] * (45 * d1 - 9 * d2 + d3) / (60 * t)
    return out
