# differences: dx
def layer(v, scale):
    c = v - v.mean(-1, keepdim=True)
    return scale * c * ((c**2).mean(-1, keepdim=True) + 1e-5).rsqrt()

def dx(dy, scale, x, eps=1e-4):
    g = torch.empty_like(x)
    for k in range(x.shape[-1]):
        moved = [x.clone() for _ in range(4)]
        for tensor, times in zip(moved, (1, -1, 2, -2)):
            tensor[..., k] += times * eps
        a, b, c, d = (layer(tensor, scale) for tensor in moved)
        g[..., k] = (dy * (8 * (a - b) - (c - d))).sum(-1) / (12 * eps)
    return g
