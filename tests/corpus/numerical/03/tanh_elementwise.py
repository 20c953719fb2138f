# differences: dhpreact
def dhpreact(dh, hpreact):
    eps = 1e-5
    return dh * (torch.tanh(hpreact + eps) - torch.tanh(hpreact - eps)) / (2 * eps)
