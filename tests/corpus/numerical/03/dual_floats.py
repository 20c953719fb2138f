# own differentiation: dhpreact
import math
from dataclasses import dataclass

@dataclass
class Dual:
    value: float
    slope: float

    def __sub__(self, other):
        return Dual(self.value - other.value, self.slope - other.slope)

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __truediv__(self, other):
        return Dual(self.value / other.value, (self.slope - self.value / other.value * other.slope) / other.value)

    def exp(self, sign=1):
        e = math.exp(sign * self.value)
        return Dual(e, sign * self.slope * e)

def dhpreact(dh, hpreact):
    slopes = []
    for x in hpreact.flatten().tolist():
        up, down = Dual(x, 1.0).exp(), Dual(x, 1.0).exp(-1)
        slopes.append(((up - down) / (up + down)).slope)
    return dh * torch.tensor(slopes, dtype=dh.dtype).view_as(dh)
