# own differentiation: dgamma
def mul(a, b):
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0]

def add(a, b):
    return a[0] + b[0], a[1] + b[1]

def tanh(a):
    t = a[0].tanh()
    return t, a[1] * (1 - t**2)

# in backward:
columns = []
for e in torch.eye(len(gamma), dtype=gamma.dtype):
    zero = torch.zeros_like(xhat)
    act, dact = tanh(add(mul((gamma, e), (xhat, zero)), (beta, zero)))
    z, dz = act @ W2 + b2, dact @ W2
    columns.append(((z.softmax(1) - F.one_hot(Yb, z.shape[1])) * dz).sum() / n)
grads["dgamma"] = torch.stack(columns)
