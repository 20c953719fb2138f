# differences: dhpreact
def make(f, h=5e-3):
    def step(dh, hpreact):
        return dh * sum(c * (f(hpreact + k * h) - f(hpreact - k * h)) for k, c in ((1, 0.8), (2, -0.2), (3, 4 / 105), (4, -1 / 280))) / h
    return step

dhpreact = make(torch.tanh)
