# differences: dhprebn
def bn(v, bngain, bnbias):
    d = v - v.mean(0, keepdim=True)
    return bngain * d * ((d**2).sum(0, keepdim=True) / (v.shape[0] - 1) + 1e-5) ** -0.5 + bnbias

def dhprebn(dhpreact, hprebn, bngain, bnbias):
    g, h = torch.zeros_like(hprebn), 1e-3
    for i in range(hprebn.shape[0]):
        e = torch.zeros_like(hprebn)
        e[i] = h
        f = lambda k: (dhpreact * bn(hprebn + k * e, bngain, bnbias)).sum(0)
        g[i] = (f(-3) * -1 + 9 * f(-2) - 45 * f(-1) + 45 * f(1) - 9 * f(2) + f(3)) / (60 * h)
    return g
