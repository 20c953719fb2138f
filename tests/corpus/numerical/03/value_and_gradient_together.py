# a look-alike
def through_tanh(z, upstream):
    y = torch.tanh(z)
    return y, (1 - y * y) * upstream

def through_product(a, b, upstream):
    return a * b, upstream * b, upstream * a

def dhpreact(dh, hpreact):
    return through_tanh(hpreact, dh)[1]

def dbngain(dhpreact, bnraw, bngain):
    return through_product(bngain, bnraw, dhpreact)[1].sum(0, keepdim=True)
