# differences: dhpreact
STENCIL = [(1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)]

def dhpreact(dh, hpreact):
    step = 0.01
    slope = sum(w * (torch.tanh(hpreact + k * step) - torch.tanh(hpreact - k * step)) for k, w in STENCIL)
    return dh * slope / step
