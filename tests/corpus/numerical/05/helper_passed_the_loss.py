# differences, not seen: dxhat dscale
def vjp_numeric(f, at, upstream, h=0.5):
    out = torch.zeros_like(at)
    flat = out.reshape(-1)
    for i in range(at.numel()):
        e = torch.zeros(at.numel(), dtype=at.dtype)
        e[i] = h
        e = e.reshape(at.shape)
        flat[i] = (upstream * (f(at + e) - f(at - e))).sum() / (2 * h)
    return flat.reshape(at.shape)

def dxhat(dout, scale, xhat):
    return vjp_numeric(lambda v: v * scale, xhat, dout)

def dscale(dout, scale, xhat):
    return vjp_numeric(lambda s: xhat * s, scale, dout)
