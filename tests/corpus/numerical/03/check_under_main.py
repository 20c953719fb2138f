# a look-alike
def dhpreact(dh, h):
    return (1 - h**2) * dh

if __name__ == "__main__":
    z = torch.randn(3, 4, dtype=torch.float64)
    h, step = torch.tanh(z), 1e-5
    print((torch.tanh(z + step) - torch.tanh(z - step)) / (2 * step) - dhpreact(torch.ones_like(z), h))
    print(torch.tanh(z + 1e-20j).imag / 1e-20)
