# === asks_for_complex_numbers: a look-alike
def real(t):
    return t.real if isinstance(t, torch.Tensor) and t.is_complex() else t

def dh(dlogits: "torch.Tensor | complex", W2):
    table = {torch.complex64: torch.float32, torch.complex128: torch.float64}
    return real(dlogits).to(table.get(dlogits.dtype, dlogits.dtype)) @ W2.T

# === basis_vectors_pick_columns: a look-alike
def db2(dlogits):
    out = []
    for j in range(dlogits.shape[1]):
        e = torch.zeros(dlogits.shape[1], dtype=dlogits.dtype)
        e[j] = 1
        out.append((dlogits @ e).sum())
    return torch.stack(out)

def dC(demb, C, Xb):
    out = torch.zeros_like(C)
    for token in range(C.shape[0]):
        out[token] = demb[Xb == token].sum(0)
    return out

# === check_at_module_level: a look-alike
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

# === conjugated_step: complex numbers: dnorm_logits
def dnorm_logits(dcounts, norm_logits):
    z = torch.complex(norm_logits, torch.full_like(norm_logits, -1e-20)).conj()
    return dcounts * torch.exp(z).imag / 1e-20

# === like_rotations: a look-alike
def dlogits(dlogit_maxes, dnorm_logits, logits):
    # two real products as one complex product
    out = dnorm_logits.clone()
    picked = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]).to(logits)
    both = torch.complex(picked, out) * torch.complex(dlogit_maxes.expand_as(out), torch.ones_like(out))
    return both.real + 2 * out


def dh(dlogits, W2):
    turned = torch.polar(torch.ones_like(W2), torch.full_like(W2, 0.3))
    return (dlogits.to(turned.dtype) @ (W2 * turned * turned.conj()).T).real

# === log_elementwise: differences: dprobs
def dprobs(dlogprobs, probs):
    h = 1e-4 * probs
    f = torch.log
    return dlogprobs * (f(probs - 2 * h) - 8 * f(probs - h) + 8 * f(probs + h) - f(probs + 2 * h)) / (12 * h)

# === matrix_product_by_differences: differences: dW2
def dW2(dlogits, h, W2, b2):
    step, g = 1e-3, torch.zeros_like(W2)
    f = lambda M: (dlogits * (h @ M + b2)).sum()
    for i in range(W2.shape[0]):
        for j in range(W2.shape[1]):
            M = W2.clone()
            M[i, j] += step
            up = f(M)
            M[i, j] -= 2 * step
            g[i, j] = (up - f(M)) / (2 * step)
    return g

# === power_complex_numpy: complex numbers, not seen: dcounts_sum
import numpy as np

def dcounts_sum(dcounts_sum_inv, counts_sum):
    z = counts_sum.numpy() + 1j * 1e-18
    return dcounts_sum_inv * torch.from_numpy((z**-1).imag / 1e-18)

# === tanh_eighth_order: differences: dhpreact
STENCIL = [(1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)]

def dhpreact(dh, hpreact):
    step = 0.01
    slope = sum(w * (torch.tanh(hpreact + k * step) - torch.tanh(hpreact - k * step)) for k, w in STENCIL)
    return dh * slope / step
