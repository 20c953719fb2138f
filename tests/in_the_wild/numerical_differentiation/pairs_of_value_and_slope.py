"""A class for dual numbers, with the product rule in it.

lesson: 01
du: forbidden | = Line 287 uses derivatives propagated forward (numerical differentiation), so this gradient is not counted. Write it by the chain rule: upstream gradient times local derivative, from the values that the function receives.
"""


class Pair:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __mul__(self, other):
        return Pair(self.value * other.value, self.value * other.slope + self.slope * other.value)


def du(dproduct, u, v):
    product = Pair(u, torch.ones_like(u)) * Pair(v, torch.zeros_like(v))
    return dproduct * product.slope
