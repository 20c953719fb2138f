# differences: dz
def dz(da, z):
    def central(h):
        return (torch.tanh(z + h) - torch.tanh(z - h)) / (2 * h)
    a, b, c = central(0.04), central(0.02), central(0.01)
    d, e = (4 * b - a) / 3, (4 * c - b) / 3
    return da * (16 * e - d) / 15
