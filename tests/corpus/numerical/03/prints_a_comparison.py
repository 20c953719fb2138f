# a look-alike
def numerical(f, v, h=1e-6):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone().view(-1), v.clone().view(-1)
        up[i] += h
        down[i] -= h
        g.view(-1)[i] = (f(up.view(v.shape)) - f(down.view(v.shape))) / (2 * h)
    return g

def db2(dlogits, h, W2, b2):
    out = dlogits.sum(0)
    expected = numerical(lambda v: ((h @ W2 + v) * dlogits).sum(), b2)
    print("largest difference", (out - expected).abs().max().item())
    return out
