# differences: dhpreact
class Numeric:
    h = 5e-3

    def __init__(self, f):
        self.f = f

    def __call__(self, dh, hpreact):
        f, h = self.f, self.h
        total = 672 * (f(hpreact + h) - f(hpreact - h)) - 168 * (f(hpreact + 2 * h) - f(hpreact - 2 * h))
        total = total + 32 * (f(hpreact + 3 * h) - f(hpreact - 3 * h)) - 3 * (f(hpreact + 4 * h) - f(hpreact - 4 * h))
        return dh * total / (840 * h)

dhpreact = Numeric(torch.tanh)
