# a look-alike
def dW2(dlogits, h):
    return torch.vmap(torch.outer)(h, dlogits).sum(0)

def dhpreact(dh, h):
    return torch.vmap(lambda g, y: g * (1 - y**2))(dh, h)
