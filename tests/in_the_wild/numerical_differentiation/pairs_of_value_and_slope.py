"""A class for dual numbers, with the product rule in it: automatic differentiation of the student's own counts.

lesson: 01
"""


class Pair:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __mul__(self, other):
        return Pair(self.value * other.value, self.value * other.slope + self.slope * other.value)


def du(dproduct, u, v):
    product = Pair(u, torch.ones_like(u)) * Pair(v, torch.zeros_like(v))
    return dproduct * product.slope
