# a look-alike
def numerical(f, v, h=1e-6):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone().view(-1), v.clone().view(-1)
        up[i] += h
        down[i] -= h
        g.view(-1)[i] = (f(up.view(v.shape)) - f(down.view(v.shape))) / (2 * h)
    return g

def dhpreact(dh, h):
    return (1 - h**2) * dh

_z = torch.linspace(-1, 1, 5, dtype=torch.float64)
_h = 1e-5
_numerical = (torch.tanh(_z + _h) - torch.tanh(_z - _h)) / (2 * _h)
assert torch.allclose(_numerical, dhpreact(torch.ones_like(_z), torch.tanh(_z)))
assert torch.allclose(numerical(lambda v: torch.tanh(v).sum(), _z), _numerical)
