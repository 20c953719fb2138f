# === batch_norm_complex: complex numbers: dhprebn
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

# === helper_passed_the_loss: differences, not seen: dxhat dscale
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

# === layer_backward: differences: backward evaluation_backward
class BatchNorm1d(BatchNorm1d):
    def forward(self, x, training=True):
        self.x, self.training, self.before = x, training, (self.running_mean, self.running_var)
        return super().forward(x, training)

    def at(self, x, gamma, beta):
        mean, var = (x.mean(0), x.var(0, unbiased=False)) if self.training else self.before
        return gamma * (x - mean) / torch.sqrt(var + self.eps) + beta

    def backward(self, dout):
        h, (dx, dgamma, dbeta) = 1e-4, super().backward(dout)
        out = torch.zeros_like(self.gamma)
        for k in range(len(out)):
            e = torch.zeros_like(out)
            e[k] = h
            plus, minus = (self.at(self.x, self.gamma + s * e, self.beta) for s in (1, -1))
            out[k] = (dout * (plus - minus)).sum() / (2 * h)
        return dx, out, dbeta

# === plus_minus_half: a look-alike
def dh(dh_bn, gamma, h, N):
    eps, half = 1e-5, 0.5
    mu = h.mean(0)
    var = ((h - mu) ** 2).mean(0) + eps
    up = gamma * dh_bn
    minus = (up * (h - mu)).sum(0) * -half * var**-1.5
    plus = -up.sum(0) / var.sqrt() - 2 * minus * (h - mu).sum(0) / N
    return up / var.sqrt() + minus * 2 * (h - mu) / N + plus / N

# === standard_deviation_numpy: differences, not seen: dvar
import numpy as np

def dvar(dxhat, x, mean, var):
    d, a, m, v = (t.numpy() for t in (dxhat, x, mean, var))
    step = 1e-3 * v
    f = lambda s: (d * (a - m) / np.sqrt(s + 1e-5)).sum(0)
    total = sum(c * f(v + k * step) for k, c in zip((-4, -3, -2, -1, 1, 2, 3, 4), (3, -32, 168, -672, 672, -168, 32, -3)))
    return torch.from_numpy(total / (840 * step))
