"""Right submissions that look as if they differentiated numerically: none of their rows may be recorded."""

# ruff: noqa: E501
from __future__ import annotations

from bench.numerical_attempts import Attempt

SLOPE = """
def numerical(f, v, h=1e-6):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone().view(-1), v.clone().view(-1)
        up[i] += h
        down[i] -= h
        g.view(-1)[i] = (f(up.view(v.shape)) - f(down.view(v.shape))) / (2 * h)
    return g
"""
BACKWARD = """
def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    grads = by_hand(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs)
"""
TEXTS: dict[tuple[str, str], str] = {
    ("prints_a_comparison", "03"): SLOPE
    + """
def db2(dlogits, h, W2, b2):
    out = dlogits.sum(0)
    expected = numerical(lambda v: ((h @ W2 + v) * dlogits).sum(), b2)
    print("largest difference", (out - expected).abs().max().item())
    return out
""",
    ("asserts_a_comparison", "03"): """
def dprobs(dlogprobs, probs):
    eps = 1e-6
    result = dlogprobs / probs
    check = (torch.log(probs + eps) - torch.log(probs - eps)) / (2 * eps) * dlogprobs
    assert check.shape == result.shape, "shapes"
    if not torch.allclose(check, result, rtol=1e-2):
        print("not close")
    return result
""",
    ("checker_is_called", "06"): SLOPE
    + """
def compare(name, f, v, claimed):
    error = (numerical(f, v) - claimed).abs().max()
    print(name, float(error))
    return float(error)
"""
    + BACKWARD
    + """
    compare("b2", lambda v: F.cross_entropy(h @ W2 + v, Yb), b2, grads["db2"])
    return grads
""",
    ("checker_gets_all_gradients", "06"): SLOPE
    + """
def compare_all(grads, h, W2, b2, Yb):
    errors = {}
    errors["db2"] = (numerical(lambda v: F.cross_entropy(h @ W2 + v, Yb), b2) - grads["db2"]).abs().max()
    print(errors)
    return errors
"""
    + BACKWARD
    + """
    errors = compare_all(grads, h, W2, b2, Yb)
    assert all(error < 1e-4 for error in errors.values())
    return grads
""",
    ("checker_moves_the_parameters", "06"): """
def check_in_place(f, v, claimed, h=1e-6):
    for i in range(v.numel()):
        old = v[i].item()
        v[i] = old + h
        up = f()
        v[i] = old - h
        down = f()
        v[i] = old
        if abs((up - down) / (2 * h) - claimed[i]) > 1e-4:
            print("element", i)
"""
    + BACKWARD
    + """
    bias = b2.clone()
    check_in_place(lambda: F.cross_entropy(h @ W2 + bias, Yb), bias, grads["db2"])
    return grads
""",
    ("check_under_main", "03"): """
def dhpreact(dh, h):
    return (1 - h**2) * dh

if __name__ == "__main__":
    z = torch.randn(3, 4, dtype=torch.float64)
    h, step = torch.tanh(z), 1e-5
    print((torch.tanh(z + step) - torch.tanh(z - step)) / (2 * step) - dhpreact(torch.ones_like(z), h))
    print(torch.tanh(z + 1e-20j).imag / 1e-20)
""",
    ("check_at_module_level", "03"): SLOPE
    + """
def dhpreact(dh, h):
    return (1 - h**2) * dh

_z = torch.linspace(-1, 1, 5, dtype=torch.float64)
_h = 1e-5
_numerical = (torch.tanh(_z + _h) - torch.tanh(_z - _h)) / (2 * _h)
assert torch.allclose(_numerical, dhpreact(torch.ones_like(_z), torch.tanh(_z)))
assert torch.allclose(numerical(lambda v: torch.tanh(v).sum(), _z), _numerical)
""",
    ("loops_over_every_element", "03"): """
def dW2(dlogits, h, W2):
    g = torch.zeros_like(W2)
    for i in range(W2.shape[0]):
        for j in range(W2.shape[1]):
            for k in range(min(h.shape[0], 8)):
                g[i, j] += h[k, i] * dlogits[k, j]
    return g + h[8:].T @ dlogits[8:]

def dbndiff2(dbnvar, bndiff2, n):
    g = torch.zeros_like(bndiff2)
    step = 1 / (n - 1)
    for i in range(n):
        for j in range(g.shape[1]):
            g[i, j] += step * dbnvar[0, j]
    return g
""",
    ("recomputes_in_every_row", "03"): """
def dlogits(dnorm_logits, dlogit_maxes, logits):
    g = torch.zeros_like(logits)
    for i in range(len(logits)):
        onehot = torch.zeros(logits.shape[1], dtype=logits.dtype)
        onehot[logits.max(1).indices[i]] = 1
        g[i] = dnorm_logits[i] + dlogit_maxes[i] * onehot
    return g

def dnorm_logits(dcounts, logits):
    g = torch.zeros_like(logits)
    for i in range(logits.shape[0]):
        for j in range(logits.shape[1]):
            shifted = logits - logits.max(1, keepdim=True).values
            g[i, j] = torch.exp(shifted)[i, j] * dcounts[i, j]
    return g
""",
    ("named_epsilon", "03"): """
EPS = 1e-5

def dbnvar(dbnvar_inv, bnvar):
    variance = bnvar + EPS
    deviation = variance**0.5
    return -0.5 * dbnvar_inv / (deviation * variance)

def dbnraw(dhpreact, bngain):
    scale = 0.5
    return dhpreact * bngain * scale / 0.5

def dbndiff(dbnraw, dbndiff2, bndiff, bnvar):
    h = (bnvar + EPS) ** -0.5
    return dbnraw * h + 2 * bndiff * dbndiff2
""",
    ("plus_minus_half", "05"): """
def dh(dh_bn, gamma, h, N):
    eps, half = 1e-5, 0.5
    mu = h.mean(0)
    var = ((h - mu) ** 2).mean(0) + eps
    up = gamma * dh_bn
    minus = (up * (h - mu)).sum(0) * -half * var**-1.5
    plus = -up.sum(0) / var.sqrt() - 2 * minus * (h - mu).sum(0) / N
    return up / var.sqrt() + minus * 2 * (h - mu) / N + plus / N
""",
    ("reverse_mode_tape", "04"): """
class Value:
    def __init__(self, data, parents=()):
        self.data, self.parents, self.grad = data, parents, 0.0

    def __mul__(self, other):
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __add__(self, other):
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def go_back(self, upstream):
        self.grad = self.grad + upstream
        for parent, slope in self.parents:
            parent.go_back(slope * upstream)

def dlogits(logits, Yb, n):
    given = Value(logits)
    weight = Value((F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n)
    (given * weight).go_back(torch.ones_like(logits))
    return given.grad
""",
    ("micrograd_closures", "01"): """
class Node:
    def __init__(self, data, children=()):
        self.data, self.grad, self.children, self.back = data, torch.zeros_like(data), children, lambda: None

    def __mul__(self, other):
        out = Node(self.data * other.data, (self, other))

        def back():
            self.grad = self.grad + other.data * out.grad
            other.grad = other.grad + self.data * out.grad

        out.back = back
        return out

def du(dproduct, u, v):
    a, b = Node(u), Node(v)
    out = a * b
    out.grad = dproduct
    out.back()
    return a.grad
""",
    ("softmax_jacobian_with_eye", "04"): """
def dlogits(logits, Yb, n):
    p = F.softmax(logits, 1)
    eye = torch.eye(logits.shape[1], dtype=logits.dtype)
    picked = p[range(n), Yb]
    jacobian = picked[:, None] * (eye[Yb] - p)
    safe = torch.where(picked > 0, picked, torch.ones_like(picked))
    return torch.where(picked[:, None] > 0, -jacobian / (n * safe[:, None]), (p - eye[Yb]) / n)
""",
    ("basis_vectors_pick_columns", "03"): """
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
""",
    ("numpy_formulas", "11"): """
import numpy as np

def dx(dy, scale, x):
    g, s, v = dy.numpy(), scale.numpy(), x.numpy()
    eps = 1e-5
    mu = v.mean(-1, keepdims=True)
    r = 1.0 / np.sqrt(((v - mu) ** 2).mean(-1, keepdims=True) + eps)
    xhat, d = (v - mu) * r, g * s
    return torch.from_numpy(r * (d - d.mean(-1, keepdims=True) - xhat * (d * xhat).mean(-1, keepdims=True)))
""",
    ("names_plus_and_minus", "03"): """
def dbnmeani(dbndiff):
    plus = dbndiff.clamp(min=0).sum(0, keepdim=True)
    minus = dbndiff.clamp(max=0).sum(0, keepdim=True)
    h = 2.0
    return -(plus + minus) * h / 2.0

def dcounts_sum(dcounts_sum_inv, counts_sum):
    def f(v):
        return v**-2

    return -(f(counts_sum) * dcounts_sum_inv)
""",
    ("asks_for_complex_numbers", "03"): """
def real(t):
    return t.real if isinstance(t, torch.Tensor) and t.is_complex() else t

def dh(dlogits: "torch.Tensor | complex", W2):
    table = {torch.complex64: torch.float32, torch.complex128: torch.float64}
    return real(dlogits).to(table.get(dlogits.dtype, dlogits.dtype)) @ W2.T
""",
    ("sums_that_are_pairs", "05"): """
class Sums:
    def __init__(self, one, two):
        self.one, self.two = one, two

    def __add__(self, other):
        return Sums(self.one + other.one, self.two + other.two)

def dh(dh_bn, gamma, h_norm, h_var, N):
    total = Sums(torch.zeros_like(gamma), torch.zeros_like(gamma))
    for row, normal in zip(dh_bn, h_norm):
        total = total + Sums(row, row * normal)
    return gamma / (N * torch.sqrt(h_var + 1e-5)) * (N * dh_bn - total.one - h_norm * total.two)
""",
    ("value_and_gradient_together", "03"): """
def through_tanh(z, upstream):
    y = torch.tanh(z)
    return y, (1 - y * y) * upstream

def through_product(a, b, upstream):
    return a * b, upstream * b, upstream * a

def dhpreact(dh, hpreact):
    return through_tanh(hpreact, dh)[1]

def dbngain(dhpreact, bnraw, bngain):
    return through_product(bngain, bnraw, dhpreact)[1].sum(0, keepdim=True)
""",
    ("update_with_a_step", "07"): """
def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        new = p - learning_rate * g
        p.copy_(new)
""",
    ("written_in_batch", "04"): """
ONE = 1.0

def dlogits(logits, Yb, n):
    p = F.softmax(logits, 1)
    p[range(n), Yb] -= ONE
    return p / (n * ONE)
""",
    ("vmapped_formulas", "03"): """
def dW2(dlogits, h):
    return torch.vmap(torch.outer)(h, dlogits).sum(0)

def dhpreact(dh, h):
    return torch.vmap(lambda g, y: g * (1 - y**2))(dh, h)
""",
    ("forward_again_and_the_loss_printed", "06"): """
def forward_pass(C, W, b, gamma, beta, W2, b2, Xb, Yb, eps=1e-5):
    x = C[Xb].flatten(1) @ W + b
    xhat = (x - x.mean(0)) / torch.sqrt(x.var(0, unbiased=False) + eps)
    h = torch.tanh(gamma * xhat + beta)
    return F.cross_entropy(h @ W2 + b2, Yb), h
"""
    + BACKWARD
    + """
    loss, again = forward_pass(C, W, b, gamma, beta, W2, b2, Xb, Yb)
    moved, _ = forward_pass(C, W, b, gamma, beta, W2, b2 - 0.1 * grads["db2"], Xb, Yb)
    print(loss.item(), (loss - moved).item() / 0.1, (grads["db2"] ** 2).sum().item())
    grads["dW2"] = again.T @ ((probs - F.one_hot(Yb, probs.shape[1])) / n)
    return grads
""",
}


def lookalikes() -> list[Attempt]:
    return [Attempt(name, lesson, "", (), text) for (name, lesson), text in TEXTS.items()]
