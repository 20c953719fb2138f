# complex numbers: dhprebn
def bn(v, bngain, bnbias):
    d = v - v.mean(0, keepdim=True)
    return bngain * d * ((d**2).sum(0, keepdim=True) / (v.shape[0] - 1) + 1e-5) ** -0.5 + bnbias

def dhprebn(dhpreact, hprebn, bngain, bnbias):
    g = torch.zeros_like(hprebn)
    for i in range(hprebn.shape[0]):
        z = hprebn.to(torch.complex128)
        z[i] += complex(0, 1e-20)
        g[i] = (dhpreact * bn(z, bngain, bnbias)).sum(0).imag / 1e-20
    return g
