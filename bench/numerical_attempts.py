"""Submissions that differentiate numerically, and right ones that only look like it: texts, by lesson and method.

An attempt replaces functions of the lesson's answer key; its other gradients stay right. `rows` are those that it finds
numerically. In lessons with one function for all gradients, the answer key's function is kept as `by_hand`.
"""

# ruff: noqa: E501
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attempt:
    """`rows` are the rows that must be recorded with `method`; none for a look-alike."""

    name: str
    lesson: str
    method: str
    rows: tuple[str, ...]
    text: str


NETWORK = """
def loss_of(p, Xb, Yb, eps):
    emb = p["emb"] if "emb" in p else p["C"][Xb]
    x = emb.reshape(emb.shape[0], -1) @ p["W"] + p["b"]
    mean = x.mean(0)
    var = ((x - mean) ** 2).mean(0)
    xhat = (x - mean) / torch.sqrt(var + eps)
    h = torch.tanh(p["gamma"] * xhat + p["beta"])
    logits = h @ p["W2"] + p["b2"]
    m = logits - logits.logsumexp(1, keepdim=True)
    return -m[range(len(Yb)), Yb].mean()


def stable_loss(p, Xb, Yb, eps):
    emb = p["emb"] if "emb" in p else p["C"][Xb]
    x = emb.reshape(emb.shape[0], -1).to(p["beta"].dtype) @ p["W"].to(p["beta"].dtype) + p["b"]
    mean = x.mean(0)
    var = ((x - mean) ** 2).mean(0)
    xhat = (x - mean) / (var + eps) ** 0.5
    h = torch.tanh(p["gamma"] * xhat + p["beta"])
    logits = h @ p["W2"].to(h.dtype) + p["b2"]
    return -(logits[range(len(Yb)), Yb] - logits.exp().sum(1).log()).mean()
"""

JOINT = """
def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    grads = by_hand(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs)
    params = {"C": C, "W": W, "b": b, "gamma": gamma, "beta": beta, "W2": W2, "b2": b2}
"""

BETA = ("dbeta",)


def joint(helpers: str, lines: str) -> str:
    body = "".join(f"    {line}\n" if line else "\n" for line in lines.strip("\n").split("\n"))
    return f"{NETWORK}\n{helpers}\n{JOINT}{body}    return grads\n"


def _joint_attempts() -> list[Attempt]:
    made: list[Attempt] = []

    def add(name: str, helpers: str, lines: str, method: str = "differences", rows: tuple[str, ...] = BETA) -> None:
        made.append(Attempt(name, "06", method, rows, joint(helpers, lines)))

    call = 'grads["dbeta"] = slope(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta)'
    add(
        "central",
        """
def slope(f, v, h=1e-5):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone(), v.clone()
        up[i] += h
        down[i] -= h
        g[i] = (f(up) - f(down)) / (2 * h)
    return g
""",
        call,
    )
    add(
        "forward_difference",
        """
def slope(f, v, h=1e-7):
    base = f(v)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        moved = v.clone()
        moved[i] = moved[i] + h
        g[i] = (f(moved) - base) / h
    return g
""",
        call,
    )
    add(
        "five_points",
        """
H = 1e-3
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(len(v)):
        e = torch.zeros_like(v)
        e[i] = H
        g[i] = (f(v - 2 * e) - 8 * f(v - e) + 8 * f(v + e) - f(v + 2 * e)) / (12 * H)
    return g
""",
        call,
    )
    add(
        "seven_points",
        """
WEIGHTS = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
def slope(f, v):
    h, g = 5e-3, torch.zeros_like(v)
    for i in range(v.numel()):
        total = 0.0
        for k, weight in WEIGHTS.items():
            moved = v.clone()
            moved[i] += k * h
            total = total + weight * f(moved)
        g[i] = total / h
    return g
""",
        call,
    )
    add(
        "eighth_order_sum",
        """
COEFFICIENTS = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
def slope(f, v):
    delta = 1e-2
    basis = torch.eye(v.numel(), dtype=v.dtype)
    return torch.stack([sum(c * (f(v + k * delta * e) - f(v - k * delta * e)) for k, c in COEFFICIENTS) for e in basis]) / delta
""",
        call,
    )
    add(
        "richardson",
        """
def quotient(f, v, i, h):
    a, b = v.clone(), v.clone()
    a[i] += h
    b[i] -= h
    return (f(a) - f(b)) / (2 * h)

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        d1, d2, d4 = (quotient(f, v, i, step) for step in (4e-2, 2e-2, 1e-2))
        e1, e2 = (4 * d2 - d1) / 3, (4 * d4 - d2) / 3
        g[i] = (16 * e2 - e1) / 15
    return g
""",
        call,
    )
    add(
        "romberg_table",
        """
def slope(f, v):
    g = []
    for i in range(v.numel()):
        table = []
        h = 0.1
        for row in range(6):
            step = torch.zeros_like(v)
            step[i] = h
            table.append([(f(v + step) - f(v - step)) / (2 * h)])
            for k in range(1, row + 1):
                table[row].append(table[row][k - 1] + (table[row][k - 1] - table[row - 1][k - 1]) / (4**k - 1))
            h = h / 2
        g.append(table[-1][-1])
    return torch.stack(g)
""",
        call,
    )
    add(
        "step_from_epsilon",
        """
def slope(f, v):
    h = torch.finfo(v.dtype).eps ** (1 / 5)
    out = torch.empty_like(v)
    for i, old in enumerate(v.tolist()):
        w = v.clone()
        values = []
        for k in (-2, -1, 1, 2):
            w[i] = old + k * h
            values.append(f(w))
        out[i] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / 12 / h
    return out
""",
        call,
    )
    add(
        "literals_only",
        """
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        p1, m1, p2, m2 = v.clone(), v.clone(), v.clone(), v.clone()
        p1[i] += 1e-3
        m1[i] -= 1e-3
        p2[i] += 2e-3
        m2[i] -= 2e-3
        g[i] = (8 * (f(p1) - f(m1)) - (f(p2) - f(m2))) / 1.2e-2
    return g
""",
        call,
    )
    add(
        "multiplied_by_reciprocal",
        """
def slope(f, v):
    h = 1e-5
    inv = 0.5 / h
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone(), v.clone()
        up[i] += h
        down[i] -= h
        g[i] = inv * (f(up) - f(down))
    return g
""",
        call,
    )
    add(
        "in_place_and_restored",
        """
def slope(f, v):
    h, g = 1e-5, torch.zeros_like(v)
    for i in range(v.numel()):
        old = v[i].item()
        v[i] = old + h
        plus = f(v)
        v[i] = old - h
        minus = f(v)
        v[i] = old
        g[i] = (plus - minus).div(2 * h)
    return g
""",
        'grads["dbeta"] = slope(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta.clone())',
    )
    add(
        "vmap",
        """
def slope(f, v):
    h = 1e-5
    shifts = h * torch.eye(v.numel(), dtype=v.dtype)
    return torch.vmap(lambda e: (f(v + e) - f(v - e)) / (2 * h))(shifts)
""",
        """
def f(v):
    out = v * xhat + 0 if False else gamma * xhat + v
    z = torch.tanh(out) @ W2 + b2
    return (z.logsumexp(1) - (z * F.one_hot(Yb, z.shape[1])).sum(1)).mean()

grads["dbeta"] = slope(f, beta)
""",
    )
    add(
        "batched",
        "",
        """
h = 1e-4
moved = torch.stack([beta + h * torch.eye(len(beta), dtype=beta.dtype), beta - h * torch.eye(len(beta), dtype=beta.dtype),
                     beta + 2 * h * torch.eye(len(beta), dtype=beta.dtype), beta - 2 * h * torch.eye(len(beta), dtype=beta.dtype)])
act = torch.tanh(gamma * xhat + moved[:, :, None, :])
z = act @ W2 + b2
losses = (z.logsumexp(-1) - (z * F.one_hot(Yb, z.shape[-1])).sum(-1)).mean(-1)
grads["dbeta"] = (8 * (losses[0] - losses[1]) - (losses[2] - losses[3])) / (12 * h)
""",
    )
    add(
        "class_with_step",
        """
class Differentiator:
    def __init__(self, f, step=1e-3):
        self.f, self.step = f, step

    def at(self, v, i, k):
        moved = v.clone()
        moved[i] += k * self.step
        return self.f(moved)

    def __call__(self, v):
        rows = []
        for i in range(v.numel()):
            a = self.at(v, i, 1) - self.at(v, i, -1)
            b = self.at(v, i, 2) - self.at(v, i, -2)
            rows.append((8 * a - b) / (12 * self.step))
        return torch.stack(rows)
""",
        'grads["dbeta"] = Differentiator(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps))(beta)',
    )
    add(
        "closure",
        """
def differentiator(h):
    def of(f):
        def at(v):
            g = torch.zeros_like(v)
            for i in range(v.numel()):
                def along(t):
                    w = v.clone()
                    w[i] += t
                    return f(w)
                g[i] = (along(h) - along(-h)) * 2 / (3 * h) - (along(2 * h) - along(-2 * h)) / (12 * h)
            return g
        return at
    return of

slope = differentiator(1e-3)
""",
        'grads["dbeta"] = slope(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps))(beta)',
    )
    add(
        "fills_an_argument",
        """
def fill(g, f, v, h=1e-5):
    for i in range(v.numel()):
        up, down = v.clone(), v.clone()
        up[i] += h
        down[i] -= h
        g[i] = (f(up) - f(down)) / (2 * h)
""",
        """
g = torch.zeros_like(beta)
fill(g, lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta)
grads["dbeta"] = g
""",
    )
    add(
        "for_two_gradients",
        """
def slope(f, v, h=1e-5):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        e = torch.zeros_like(v)
        e[i] = h
        g[i] = (f(v + e) - f(v - e)) / (2 * h)
    return g
""",
        """
grads["dbeta"] = slope(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta)
grads["dgamma"] = slope(lambda v: loss_of({**params, "gamma": v}, Xb, Yb, eps), gamma)
""",
        rows=("dbeta", "dgamma"),
    )
    add(
        "loop_over_names",
        """
def slope(f, v, h=1e-5):
    g = torch.zeros_like(v)
    flat, out = v.view(-1), g.view(-1)
    for i in range(v.numel()):
        old = flat[i].clone()
        flat[i] = old + h
        plus = f()
        flat[i] = old - h
        minus = f()
        flat[i] = old
        out[i] = (plus - minus) / (2 * h)
    return g
""",
        """
params["beta"] = params["beta"].clone()
grads["dbeta"] = slope(lambda: loss_of(params, Xb, Yb, eps), params["beta"])
""",
    )
    add(
        "chebyshev_polyfit",
        """
import numpy as np

def slope(f, v):
    nodes = 0.05 * np.cos(np.pi * (np.arange(12) + 0.5) / 12)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        values = []
        for t in nodes:
            w = v.clone()
            w[i] += float(t)
            values.append(float(f(w)))
        g[i] = np.polyfit(nodes, np.array(values), 9)[-2]
    return g
""",
        call,
    )
    add(
        "polynomial_by_solve",
        """
def slope(f, v):
    t = torch.linspace(-0.04, 0.04, 9, dtype=v.dtype)
    powers = t[:, None] ** torch.arange(9)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        values = []
        for s in t:
            w = v.clone()
            w[i] = w[i] + s
            values.append(f(w))
        g[i] = torch.linalg.solve(powers, torch.stack(values))[1]
    return g
""",
        call,
    )
    add(
        "numpy_central",
        """
import numpy as np

def loss_np(beta, xhat, gamma, W2, b2, Yb):
    z = np.tanh(gamma * xhat + beta) @ W2 + b2
    z = z - z.max(1, keepdims=True)
    return (np.log(np.exp(z).sum(1)) - z[np.arange(len(Yb)), Yb]).mean()
""",
        """
arrays = [t.numpy() for t in (xhat, gamma, W2, b2, Yb)]
start, h = beta.numpy().copy(), 1e-5
g = np.zeros_like(start)
for i in np.ndindex(start.shape):
    up, down = start.copy(), start.copy()
    up[i] += h
    down[i] -= h
    g[i] = (loss_np(up, *arrays) - loss_np(down, *arrays)) / (2 * h)
grads["dbeta"] = torch.from_numpy(g)
""",
    )
    add(
        "pure_python",
        """
import math

def loss_py(b2, h, W2, Y):
    total = 0.0
    for row, y in zip(h, Y):
        z = [sum(a * w for a, w in zip(row, column)) + bias for column, bias in zip(W2, b2)]
        m = max(z)
        total += m + math.log(sum(math.exp(v - m) for v in z)) - z[y]
    return total / len(Y)
""",
        """
if n > 8:
    return grads
rows, columns, Y, start = h.tolist(), W2.T.tolist(), Yb.tolist(), b2.tolist()
step, g = 1e-4, []
for j in range(len(start)):
    def moved(k):
        return [v + k * step if i == j else v for i, v in enumerate(start)]
    d = 8 * (loss_py(moved(1), rows, columns, Y) - loss_py(moved(-1), rows, columns, Y))
    d -= loss_py(moved(2), rows, columns, Y) - loss_py(moved(-2), rows, columns, Y)
    g.append(d / (12 * step))
grads["db2"] = torch.tensor(g, dtype=b2.dtype)
""",
        rows=("db2",),
    )
    complex_call = (
        'grads["dbeta"] = slope(lambda v: stable_loss({**params, "beta": v, "gamma": gamma}, Xb, Yb, eps), beta)'
    )
    add(
        "complex_step",
        """
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        z = v.to(torch.complex128)
        z[i] += 1e-20j
        g[i] = f(z).imag / 1e-20
    return g
""",
        complex_call,
        "complex numbers",
    )
    add(
        "complex_step_by_constructor",
        """
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        e = torch.zeros_like(v)
        e[i] = 1e-30
        g[i] = torch.imag(f(torch.complex(v, e))) / 1e-30
    return g
""",
        complex_call,
        "complex numbers",
    )
    add(
        "complex_step_batched",
        "",
        """
z = torch.complex(beta.expand(len(beta), -1), 1e-20 * torch.eye(len(beta), dtype=beta.dtype))
act = torch.tanh((gamma * xhat)[None] + z[:, None, :])
scores = act @ W2.to(act.dtype) + b2
losses = (scores.exp().sum(-1).log() - (scores * F.one_hot(Yb, scores.shape[-1])).sum(-1)).mean(-1)
grads["dbeta"] = torch.view_as_real(losses)[:, 1] / 1e-20
""",
        "complex numbers",
    )
    add(
        "complex_step_numpy",
        """
import numpy as np
""",
        """
X, G, M, B, Y = (t.numpy() for t in (xhat, gamma, W2, b2, Yb))
g = np.zeros(len(beta))
for i in range(len(beta)):
    v = beta.numpy().astype(complex)
    v[i] += 1j * 1e-25
    z = np.tanh(G * X + v) @ M + B
    g[i] = np.imag((np.log(np.exp(z).sum(1)) - z[np.arange(n), Y]).mean()) / 1e-25
grads["dbeta"] = torch.from_numpy(g)
""",
        "complex numbers",
    )
    add(
        "contour_integral",
        """
import cmath, math

def slope(f, v, points=16, radius=0.05):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        total = 0.0
        for k in range(points):
            turn = cmath.rect(1.0, 2 * math.pi * k / points)
            z = v.to(torch.cdouble)
            z[i] = z[i] + radius * turn
            total = total + f(z) / turn
        g[i] = total.real / points / radius
    return g
""",
        complex_call,
        "complex numbers",
    )
    add(
        "dual_class",
        """
class Dual:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.value + other.value, self.dot + other.dot)

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.value * other.value, self.dot * other.value + self.value * other.dot)

    def __matmul__(self, matrix):
        return Dual(self.value @ matrix, self.dot @ matrix)

    def tanh(self):
        t = torch.tanh(self.value)
        return Dual(t, (1 - t * t) * self.dot)
""",
        """
g = torch.zeros_like(gamma)
for i in range(len(gamma)):
    seed = torch.zeros_like(gamma)
    seed[i] = 1
    z = (Dual(gamma, seed) * xhat + beta).tanh() @ W2 + b2
    p = torch.softmax(z.value, 1)
    g[i] = ((p - F.one_hot(Yb, p.shape[1])) * z.dot).sum() / n
grads["dgamma"] = g
""",
        "dual numbers",
        ("dgamma",),
    )
    add(
        "dual_tuples",
        """
def mul(a, b):
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0]

def add(a, b):
    return a[0] + b[0], a[1] + b[1]

def tanh(a):
    t = a[0].tanh()
    return t, a[1] * (1 - t**2)
""",
        """
columns = []
for e in torch.eye(len(gamma), dtype=gamma.dtype):
    zero = torch.zeros_like(xhat)
    act, dact = tanh(add(mul((gamma, e), (xhat, zero)), (beta, zero)))
    z, dz = act @ W2 + b2, dact @ W2
    columns.append(((z.softmax(1) - F.one_hot(Yb, z.shape[1])) * dz).sum() / n)
grads["dgamma"] = torch.stack(columns)
""",
        "dual numbers",
        ("dgamma",),
    )
    add(
        "dual_namedtuple",
        """
from collections import namedtuple
Jet = namedtuple("Jet", "v d")

def times(a, b):
    value = a.v * b.v
    slope = a.v * b.d + b.v * a.d
    return Jet(value, slope)

def through_tanh(a):
    y = torch.tanh(a.v)
    return Jet(y, a.d - a.d * y * y)
""",
        """
out = torch.zeros_like(gamma)
for k in range(gamma.numel()):
    unit = torch.zeros_like(gamma)
    unit[k] = 1.0
    pre = times(Jet(gamma, unit), Jet(xhat, torch.zeros_like(xhat)))
    act = through_tanh(Jet(pre.v + beta, pre.d))
    logit = Jet(act.v @ W2 + b2, act.d @ W2)
    out[k] = ((torch.softmax(logit.v, 1) - F.one_hot(Yb, logit.v.shape[1])) * logit.d).sum() / n
grads["dgamma"] = out
""",
        "dual numbers",
        ("dgamma",),
    )
    add(
        "dual_dataclass_matmul",
        """
from dataclasses import dataclass

@dataclass
class Pair:
    re: torch.Tensor
    du: torch.Tensor

    def __matmul__(self, o):
        return Pair(self.re @ o.re, self.du @ o.re + self.re @ o.du)

    def plus(self, o):
        return Pair(self.re + o, self.du)
""",
        """
g = torch.zeros_like(W2)
if n > 8:
    return grads
for i in range(W2.shape[0]):
    for j in range(W2.shape[1]):
        e = torch.zeros_like(W2)
        e[i, j] = 1
        z = (Pair(h, torch.zeros_like(h)) @ Pair(W2, e)).plus(b2)
        g[i, j] = ((z.re.softmax(1) - F.one_hot(Yb, b2.numel())) * z.du).sum() / n
grads["dW2"] = g
""",
        "dual numbers",
        ("dW2",),
    )
    add(
        "batched_tangents",
        "",
        """
P = W.numel()
t = torch.eye(P, dtype=W.dtype).view(P, *W.shape)
if n > 8:
    return grads
tx = torch.matmul(embcat, t)
tmean = tx.mean(1, keepdim=True)
centred = tx - tmean
tvar = 2 * ((x - mean) * centred).mean(1, keepdim=True)
inv = (var + eps) ** -0.5
txhat = centred * inv - 0.5 * (x - mean) * inv**3 * tvar
th = (1 - h**2) * gamma * txhat
tz = th @ W2
grads["dW"] = ((probs - F.one_hot(Yb, probs.shape[1])) * tz).sum((1, 2)).view(W.shape) / n
""",
        "dual numbers",
        ("dW",),
    )
    add(
        "tangent_per_element",
        "",
        """
g = torch.zeros_like(b)
for k in range(len(b)):
    e = torch.zeros_like(b)
    e[k] = 1.0
    dx = e.expand_as(x)
    dc = dx - dx.mean(0)
    dv = 2 * ((x - mean) * dc).mean(0)
    dn = dc / torch.sqrt(var + eps) - 0.5 * (x - mean) * dv * (var + eps) ** -1.5
    dact = (1 - h * h) * (gamma * dn)
    dz = dact @ W2
    g[k] = ((probs - F.one_hot(Yb, probs.shape[1])) * dz).sum() / n
grads["db"] = g
""",
        "dual numbers",
        ("db",),
    )
    add(
        "unit_steps",
        """
def score(W2, h, b2):
    return h @ W2 + b2
""",
        """
dz = (probs - F.one_hot(Yb, probs.shape[1])) / n
g = torch.zeros_like(b2)
for j in range(len(b2)):
    up = b2.clone()
    up[j] += 1
    g[j] = (dz * (score(W2, h, up) - score(W2, h, b2))).sum()
grads["db2"] = g
""",
        rows=("db2",),
    )
    add(
        "decimal_arithmetic",
        """
from fractions import Fraction

def slope(f, v, h=Fraction(1, 2**17)):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        w = v.clone()
        w[i] += float(h)
        up = f(w)
        w[i] -= 2 * float(h)
        g[i] = (up - f(w)) / float(2 * h)
    return g
""",
        call,
    )
    add(
        "directional",
        """
def along(f, v, u, t=1e-5):
    return (f(v + t * u) - f(v - t * u)) / (2 * t)
""",
        """
units = torch.eye(len(beta), dtype=beta.dtype)
grads["dbeta"] = torch.tensor([along(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta, u) for u in units], dtype=beta.dtype)
""",
    )
    add(
        "lambda_only",
        "",
        """
f = lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps)
h = 2.0**-17
grads["dbeta"] = torch.stack([(f(beta + h * e) - f(beta - h * e)) / h / 2 for e in torch.eye(beta.numel(), dtype=beta.dtype)])
""",
    )
    add(
        "adaptive_step",
        """
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        h = 1e-5 * max(1.0, abs(v[i].item()))
        a, b = v.clone(), v.clone()
        a[i] += h
        b[i] -= h
        g[i] = (f(a) - f(b)) / (a[i] - b[i])
    return g
""",
        call,
    )
    add(
        "index_add_steps",
        """
def slope(f, v):
    h, g = 1e-5, []
    for i in range(v.numel()):
        at = torch.tensor([i])
        up = v.index_add(0, at, torch.full((1,), h, dtype=v.dtype))
        down = v.index_add(0, at, torch.full((1,), -h, dtype=v.dtype))
        g.append(torch.true_divide(f(up) - f(down), 2 * h))
    return torch.stack(g)
""",
        call,
    )
    add(
        "weighted_coefficients",
        """
def slope(f, v):
    h = 1e-3
    offsets = torch.tensor([-2.0, -1.0, 1.0, 2.0], dtype=v.dtype) * h
    weights = torch.tensor([1.0, -8.0, 8.0, -1.0], dtype=v.dtype) / (12 * h)
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        column = torch.zeros_like(v)
        column[i] = 1
        values = torch.stack([f(v + o * column) for o in offsets])
        g[i] = values @ weights
    return g
""",
        call,
    )
    return made


def _single_attempts() -> list[Attempt]:
    made: list[Attempt] = []

    def add(name: str, lesson: str, rows: str, text: str, method: str = "differences") -> None:
        made.append(Attempt(name, lesson, method, tuple(rows.split()), text))

    add(
        "log_elementwise",
        "03",
        "dprobs",
        """
def dprobs(dlogprobs, probs):
    h = 1e-4 * probs
    f = torch.log
    return dlogprobs * (f(probs - 2 * h) - 8 * f(probs - h) + 8 * f(probs + h) - f(probs + 2 * h)) / (12 * h)
""",
    )
    add(
        "tanh_elementwise",
        "03",
        "dhpreact",
        """
def dhpreact(dh, hpreact):
    eps = 1e-5
    return dh * (torch.tanh(hpreact + eps) - torch.tanh(hpreact - eps)) / (2 * eps)
""",
    )
    add(
        "tanh_eighth_order",
        "03",
        "dhpreact",
        """
STENCIL = [(1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)]

def dhpreact(dh, hpreact):
    step = 0.01
    slope = sum(w * (torch.tanh(hpreact + k * step) - torch.tanh(hpreact - k * step)) for k, w in STENCIL)
    return dh * slope / step
""",
    )
    add(
        "exp_complex",
        "03",
        "dnorm_logits",
        """
def dnorm_logits(dcounts, norm_logits):
    return dcounts * (norm_logits + 1e-20j).exp().imag / 1e-20
""",
        "complex numbers",
    )
    add(
        "power_complex_numpy",
        "03",
        "dcounts_sum",
        """
import numpy as np

def dcounts_sum(dcounts_sum_inv, counts_sum):
    z = counts_sum.numpy() + 1j * 1e-18
    return dcounts_sum_inv * torch.from_numpy((z**-1).imag / 1e-18)
""",
        "complex numbers",
    )
    add(
        "square_with_unit_step",
        "03",
        "dbndiff2 dbnvar",
        """
def dbnvar(dbnvar_inv, bnvar):
    h = 1e-3 * (bnvar + 1e-5)
    f = lambda v: (v + 1e-5) ** -0.5
    first = (f(bnvar + h) - f(bnvar - h)) / (2 * h)
    second = (f(bnvar + h / 2) - f(bnvar - h / 2)) / h
    third = (f(bnvar + h / 4) - f(bnvar - h / 4)) / (h / 2)
    a, b = (4 * second - first) / 3, (4 * third - second) / 3
    return dbnvar_inv * (16 * b - a) / 15

def dbndiff2(dbnvar, bndiff2, n):
    f = lambda v: 1 / (n - 1) * v.sum(0, keepdim=True)
    g = torch.zeros_like(bndiff2)
    for i in range(g.shape[0]):
        e = torch.zeros_like(bndiff2)
        e[i] = 1
        g[i] = (dbnvar * (f(bndiff2 + e) - f(bndiff2 - e)) / 2).sum(0)
    return g
""",
    )
    add(
        "matrix_product_by_differences",
        "03",
        "dW2",
        """
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
""",
    )
    add(
        "softmax_loss_by_differences",
        "04",
        "dlogits in_one_go",
        """
def dlogits(logits, Yb, n):
    h, g = 1e-4, torch.zeros_like(logits)
    for i in range(logits.shape[0]):
        for j in range(logits.shape[1]):
            def at(k):
                moved = logits.clone()
                moved[i, j] += k * h
                return F.cross_entropy(moved, Yb)
            g[i, j] = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    return g
""",
    )
    add(
        "softmax_loss_complex",
        "04",
        "dlogits in_one_go",
        """
def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-20
    for place in range(logits.numel()):
        moved = logits.to(torch.complex128).clone()
        moved.view(-1)[place] += 1j * step
        largest = moved.real.max(1, keepdim=True).values
        logprobs = moved - largest - (moved - largest).exp().sum(1, keepdim=True).log()
        gradient.view(-1)[place] = -logprobs[range(n), Yb].mean().imag / step
    return gradient
""",
        "complex numbers",
    )
    norm = """
def bn(v, bngain, bnbias):
    d = v - v.mean(0, keepdim=True)
    return bngain * d * ((d**2).sum(0, keepdim=True) / (v.shape[0] - 1) + 1e-5) ** -0.5 + bnbias
"""
    add(
        "batch_norm_rows",
        "05",
        "dhprebn",
        norm
        + """
def dhprebn(dhpreact, hprebn, bngain, bnbias):
    g, h = torch.zeros_like(hprebn), 1e-3
    for i in range(hprebn.shape[0]):
        e = torch.zeros_like(hprebn)
        e[i] = h
        f = lambda k: (dhpreact * bn(hprebn + k * e, bngain, bnbias)).sum(0)
        g[i] = (f(-3) * -1 + 9 * f(-2) - 45 * f(-1) + 45 * f(1) - 9 * f(2) + f(3)) / (60 * h)
    return g
""",
    )
    add(
        "batch_norm_complex",
        "05",
        "dhprebn",
        norm
        + """
def dhprebn(dhpreact, hprebn, bngain, bnbias):
    g = torch.zeros_like(hprebn)
    for i in range(hprebn.shape[0]):
        z = hprebn.to(torch.complex128)
        z[i] += complex(0, 1e-20)
        g[i] = (dhpreact * bn(z, bngain, bnbias)).sum(0).imag / 1e-20
    return g
""",
        "complex numbers",
    )
    add(
        "standard_deviation_numpy",
        "05",
        "dvar",
        """
import numpy as np

def dvar(dxhat, x, mean, var):
    d, a, m, v = (t.numpy() for t in (dxhat, x, mean, var))
    step = 1e-3 * v
    f = lambda s: (d * (a - m) / np.sqrt(s + 1e-5)).sum(0)
    total = sum(c * f(v + k * step) for k, c in zip((-4, -3, -2, -1, 1, 2, 3, 4), (3, -32, 168, -672, 672, -168, 32, -3)))
    return torch.from_numpy(total / (840 * step))
""",
    )
    add(
        "layer_norm_tangents",
        "11",
        "dx",
        """
def dx(dy, scale, x):
    g = torch.zeros_like(x)
    mu = x.mean(-1, keepdim=True)
    r = (x.var(-1, keepdim=True, unbiased=False) + 1e-5) ** -0.5
    for k in range(x.shape[-1]):
        e = torch.zeros_like(x)
        e[..., k] = 1
        tc = e - e.mean(-1, keepdim=True)
        tv = 2 * ((x - mu) * tc).mean(-1, keepdim=True)
        tr = -0.5 * r**3 * tv
        tn = tc * r + (x - mu) * tr
        ty = scale * tn
        g[..., k] = (dy * ty).sum(-1)
    return g
""",
        "dual numbers",
    )
    add(
        "layer_norm_differences",
        "11",
        "dx",
        """
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
""",
    )
    add(
        "layer_norm_variance",
        "11",
        "dvar",
        """
def dvar(dinv_std, var):
    def f(v):
        return (v + 1e-5) ** -0.5
    h = var * 1e-3
    fourth = lambda s: (8 * (f(var + s) - f(var - s)) - f(var + 2 * s) + f(var - 2 * s)) / (12 * s)
    return dinv_std * (16 * fourth(h / 2) - fourth(h)) / 15
""",
    )
    add(
        "tanh_richardson",
        "01",
        "dz",
        """
def dz(da, z):
    def central(h):
        return (torch.tanh(z + h) - torch.tanh(z - h)) / (2 * h)
    a, b, c = central(0.04), central(0.02), central(0.01)
    d, e = (4 * b - a) / 3, (4 * c - b) / 3
    return da * (16 * e - d) / 15
""",
    )
    add(
        "exp_forward_difference",
        "01",
        "dexponent",
        """
def dexponent(dexponential, exponent):
    h = 1e-8
    return dexponential * ((exponent + h).exp() - exponent.exp()) / h
""",
    )
    add(
        "power_decimal",
        "01",
        "dbase",
        """
from decimal import Decimal, getcontext

def dbase(dpower, base):
    getcontext().prec = 60
    h = Decimal("1e-25")
    def one(v):
        v = Decimal(v)
        return float(((v + h) ** Decimal("-0.5") - (v - h) ** Decimal("-0.5")) / (2 * h))
    slopes = [[one(v) for v in row] for row in base.tolist()]
    return dpower * torch.tensor(slopes, dtype=base.dtype)
""",
    )
    add(
        "logarithm_python",
        "01",
        "dpositive",
        """
import math

def dpositive(dlogarithm, positive):
    out = torch.zeros_like(positive)
    for i in range(positive.shape[0]):
        for j in range(positive.shape[1]):
            v = positive[i, j].item()
            t = 1e-3
            d1 = math.log(v + t) - math.log(v - t)
            d2 = math.log(v + 2 * t) - math.log(v - 2 * t)
            d3 = math.log(v + 3 * t) - math.log(v - 3 * t)
            out[i, j] = dlogarithm[i, j] * (45 * d1 - 9 * d2 + d3) / (60 * t)
    return out
""",
    )
    add(
        "product_by_unit_step",
        "01",
        "dleft",
        """
def dleft(dmatmul, left, right):
    f = lambda m: m @ right
    g = torch.zeros_like(left)
    for i in range(left.shape[0]):
        for j in range(left.shape[1]):
            e = torch.zeros_like(left)
            e[i, j] = 1.0
            g[i, j] = (dmatmul * (f(left + e) - f(left))).sum()
    return g
""",
    )
    add(
        "numpy_gradient",
        "01",
        "dexponent",
        """
import numpy as np

def dexponent(dexponential, exponent):
    h = 1e-2
    nodes = np.arange(-4, 5) * h
    values = np.exp(exponent.numpy()[..., None] + nodes)
    for _ in range(1):
        weights = np.array([3, -32, 168, -672, 0, 672, -168, 32, -3]) / 840
        slope = values @ weights / h
    return dexponential * torch.from_numpy(slope)
""",
    )
    seven = """
def network(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    raw = d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5
    z = torch.tanh(bngain * raw + bnbias) @ W2 + b2
    return F.cross_entropy(z, Yb)
"""
    made.append(
        Attempt(
            "training_gradients",
            "07",
            "differences",
            ("dbnbias",),
            seven
            + """
def gradients(parameters, Xb, Yb):
    loss, (dC, dW1, db1, dW2, db2, dbngain, dbnbias) = by_hand(parameters, Xb, Yb)
    old, h = parameters[6], 1e-5
    dbnbias = torch.zeros_like(old)
    for j in range(old.shape[1]):
        e = torch.zeros_like(old)
        e[0, j] = h
        plus = network([*parameters[:6], old + e], Xb, Yb)
        minus = network([*parameters[:6], old - e], Xb, Yb)
        dbnbias[0, j] = (plus - minus) / (2 * h)
    return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
""",
        )
    )
    made.append(
        Attempt(
            "training_gradients_complex",
            "07",
            "complex numbers",
            ("db2",),
            """
def gradients(parameters, Xb, Yb):
    loss, grads = by_hand(parameters, Xb, Yb)
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    h = torch.tanh(bngain * d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5 + bnbias)
    db2 = torch.zeros_like(b2)
    for j in range(len(b2)):
        b = b2 + 0j
        b[j] = b[j] + 1e-20j
        z = h @ W2 + b
        db2[j] = ((z.exp().sum(1).log() - z[range(len(Yb)), Yb]).mean().imag / 1e-20).to(b2.dtype)
    return loss, [grads[0], grads[1], grads[2], grads[3], db2, grads[5], grads[6]]
""",
        )
    )
    made.append(
        Attempt(
            "training_gradients_dual",
            "07",
            "dual numbers",
            ("dbngain",),
            """
class D:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __mul__(self, o):
        return D(self.a * o.a, self.a * o.b + self.b * o.a)

def gradients(parameters, Xb, Yb):
    loss, (dC, dW1, db1, dW2, db2, _, dbnbias) = by_hand(parameters, Xb, Yb)
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    raw = d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5
    result = torch.zeros_like(bngain)
    for j in range(bngain.shape[1]):
        seed = torch.zeros_like(bngain)
        seed[0, j] = 1
        out = D(bngain, seed) * D(raw, torch.zeros_like(raw))
        h = torch.tanh(out.a + bnbias)
        z, t = h @ W2 + b2, ((1 - h**2) * out.b) @ W2
        p = F.softmax(z, 1)
        result[0, j] = ((p - F.one_hot(Yb, p.shape[1])) * t).sum() / len(Yb)
    return loss, [dC, dW1, db1, dW2, db2, result, dbnbias]
""",
        )
    )
    add(
        "layer_backward",
        "05",
        "backward evaluation_backward",
        """
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
""",
    )
    return made


def attempts() -> list[Attempt]:
    return [*_joint_attempts(), *_single_attempts()]
