# differences, not seen: dbase
from decimal import Decimal, getcontext

def dbase(dpower, base):
    getcontext().prec = 60
    h = Decimal("1e-25")
    def one(v):
        v = Decimal(v)
        return float(((v + h) ** Decimal("-0.5") - (v - h) ** Decimal("-0.5")) / (2 * h))
    slopes = [[one(v) for v in row] for row in base.tolist()]
    return dpower * torch.tensor(slopes, dtype=base.dtype)
