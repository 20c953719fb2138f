# === complex_method: complex numbers: dz
def dz(da, z):
    w = torch.view_as_complex(torch.stack([z, torch.full_like(z, 1e-20)], -1))
    return da * torch.view_as_real(w.tanh())[..., 1] * 1e20

# === complex_python: complex numbers: dexponent
import cmath

def dexponent(dexponential, exponent):
    slopes = [[cmath.exp(complex(v, 1e-20)).imag / 1e-20 for v in row] for row in exponent.tolist()]
    return dexponential * torch.tensor(slopes, dtype=exponent.dtype)

# === dual_matrix_exponential: own differentiation: dexponent
def dexponent(dexponential, exponent):
    one, zero = torch.ones_like(exponent), torch.zeros_like(exponent)
    dual = torch.stack([torch.stack([exponent, one], -1), torch.stack([zero, exponent], -1)], -2)
    return dexponential * torch.linalg.matrix_exp(dual)[..., 0, 1]

# === logarithm_python: differences: dpositive
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

# === power_decimal: differences, not seen: dbase
from decimal import Decimal, getcontext

def dbase(dpower, base):
    getcontext().prec = 60
    h = Decimal("1e-25")
    def one(v):
        v = Decimal(v)
        return float(((v + h) ** Decimal("-0.5") - (v - h) ** Decimal("-0.5")) / (2 * h))
    slopes = [[one(v) for v in row] for row in base.tolist()]
    return dpower * torch.tensor(slopes, dtype=base.dtype)

# === product_by_unit_step: differences, not seen: dleft
def dleft(dmatmul, left, right):
    f = lambda m: m @ right
    g = torch.zeros_like(left)
    for i in range(left.shape[0]):
        for j in range(left.shape[1]):
            e = torch.zeros_like(left)
            e[i, j] = 1.0
            g[i, j] = (dmatmul * (f(left + e) - f(left))).sum()
    return g
