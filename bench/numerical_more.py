"""More attempts at numerical differentiation, in forms that hide one of its parts: the step, the function, the loop."""

# ruff: noqa: E501
from __future__ import annotations

from bench.numerical_attempts import Attempt, joint

BETA = "lambda v: loss_of({**params, 'beta': v}, Xb, Yb, eps)"
CALL = f"grads['dbeta'] = slope({BETA}, beta)"
JOINT: dict[str, tuple[str, str, str, str]] = {
    "the_lessons_own_epsilon": (
        "dbeta",
        "differences",
        "",
        """
step = eps
out = torch.zeros_like(beta)
for i in range(len(beta)):
    a, b_ = beta.clone(), beta.clone()
    a[i] += 1e2 * step
    b_[i] -= 1e2 * step
    c, d = beta.clone(), beta.clone()
    c[i] += 2e2 * step
    d[i] -= 2e2 * step
    f = lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps)
    out[i] = (8 * (f(a) - f(b_)) - (f(c) - f(d))) / (12e2 * step)
grads["dbeta"] = out
""",
    ),
    "step_in_a_table": (
        "dbeta",
        "differences",
        """
CONFIG = {"h": 1e-3, "order": 4}

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        e = torch.zeros_like(v)
        e[i] = CONFIG["h"]
        g[i] = (8 * (f(v + e) - f(v - e)) - f(v + 2 * e) + f(v - 2 * e)) / (12 * CONFIG["h"])
    return g
""",
        CALL,
    ),
    "step_of_a_class": (
        "dbeta",
        "differences",
        """
class Settings:
    STEP = 1e-3

def slope(f, v):
    rows = []
    for i in range(v.numel()):
        def at(k):
            w = v.clone()
            w[i] = w[i] + k * Settings.STEP
            return f(w)
        rows.append((8 * at(1) - 8 * at(-1) - at(2) + at(-2)) / (12 * Settings.STEP))
    return torch.stack(rows)
""",
        CALL,
    ),
    "step_of_a_function": (
        "dbeta",
        "differences",
        """
def step():
    return 1e-3

def slope(f, v):
    g, h = torch.zeros_like(v), step()
    for i in range(v.numel()):
        e = torch.zeros_like(v)
        e[i] = h
        g[i] = (8 * (f(v + e) - f(v - e)) - f(v + 2 * e) + f(v - 2 * e)) / 12
    return g / h
""",
        CALL,
    ),
    "step_as_a_shifted_one": (
        "dbeta",
        "differences",
        """
H = 1.0 / (1 << 9)

def slope(f, v):
    g = v.new_zeros(v.shape)
    for i in range(v.numel()):
        a, b, c, d = (v.clone() for _ in range(4))
        a[i], b[i], c[i], d[i] = a[i] + H, b[i] - H, c[i] + 2 * H, d[i] - 2 * H
        g[i] = (8 * (f(a) - f(b)) - f(c) + f(d)) / (12 * H)
    return g
""",
        CALL,
    ),
    "step_as_text": (
        "dbeta",
        "differences",
        """
def slope(f, v, h=float("1e-3")):
    g = torch.zeros_like(v)
    it = 0
    while it < v.numel():
        w = v.clone()
        w[it] += h
        p1 = f(w)
        w[it] += h
        p2 = f(w)
        w[it] -= 3 * h
        m1 = f(w)
        w[it] -= h
        m2 = f(w)
        g[it] = (8 * (p1 - m1) - (p2 - m2)) / (12 * h)
        it += 1
    return g
""",
        CALL,
    ),
    "relative_step": (
        "dbeta",
        "differences",
        """
def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down, up2, down2 = v.clone(), v.clone(), v.clone(), v.clone()
        up[i] *= 1 + 1e-2
        down[i] *= 1 - 1e-2
        up2[i] *= 1 + 2e-2
        down2[i] *= 1 - 2e-2
        g[i] = (8 * (f(up) - f(down)) - f(up2) + f(down2)) / (12 * 1e-2 * v[i])
    return g
""",
        CALL,
    ),
    "operators_as_functions": (
        "dbeta",
        "differences",
        """
import operator

def slope(f, v):
    h, g = 1e-3, []
    for e in torch.eye(v.numel(), dtype=v.dtype):
        first = operator.sub(f(torch.add(v, e, alpha=h)), f(torch.sub(v, e, alpha=h)))
        second = operator.sub(f(torch.add(v, e, alpha=2 * h)), f(torch.sub(v, e, alpha=2 * h)))
        g.append(operator.truediv(operator.sub(operator.mul(8, first), second), 12 * h))
    return torch.stack(g)
""",
        CALL,
    ),
    "secant_of_two_points": (
        "dbeta",
        "differences",
        """
def secant(f, a, b, i):
    return (f(b) - f(a)) / (b[i] - a[i])

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        found = []
        for h in (2e-2, 1e-2, 5e-3):
            a, b = v.clone(), v.clone()
            a[i] = v[i] - h
            b[i] = v[i] + h
            found.append(secant(f, a, b, i))
        x, y = (4 * found[1] - found[0]) / 3, (4 * found[2] - found[1]) / 3
        g[i] = (16 * y - x) / 15
    return g
""",
        CALL,
    ),
    "gradient_of_samples": (
        "dbeta",
        "differences",
        """
import numpy as np

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        w = v.clone()
        samples = []
        for k in range(-2, 3):
            w[i] = v[i] + k * 1e-3
            samples.append(f(w).item())
        fine, coarse = np.gradient(samples, 1e-3)[2], np.gradient(samples[::2], 2e-3)[1]
        g[i] = (4 * fine - coarse) / 3
    return g
""",
        CALL,
    ),
    "partial_and_map": (
        "dbeta",
        "differences",
        """
from functools import partial

def moved(v, i, h):
    w = v.clone()
    w[i] += h
    return w

def one(f, v, h, i):
    near = f(moved(v, i, h)) - f(moved(v, i, -h))
    far = f(moved(v, i, 2 * h)) - f(moved(v, i, -2 * h))
    return (8 * near - far) / (12 * h)

def slope(f, v):
    return torch.stack(list(map(partial(one, f, v, 1e-3), range(v.numel()))))
""",
        CALL,
    ),
    "all_parameters": (
        "dgamma dbeta db2",
        "differences",
        """
def slopes(f, tensors, h=1e-3):
    found = []
    for t in tensors:
        g = torch.zeros_like(t)
        for i in range(t.numel()):
            old = t[i].clone()
            values = {}
            for k in (-2, -1, 1, 2):
                t[i] = old + k * h
                values[k] = f()
            t[i] = old
            g[i] = (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * h)
        found.append(g)
    return found
""",
        """
own = [gamma.clone(), beta.clone(), b2.clone()]
names = ["gamma", "beta", "b2"]
f = lambda: loss_of({**params, **dict(zip(names, own))}, Xb, Yb, eps)
grads["dgamma"], grads["dbeta"], grads["db2"] = slopes(f, own)
""",
    ),
    "lagrange_weights": (
        "dbeta",
        "differences",
        """
def weights(nodes):
    found = []
    for j, a in enumerate(nodes):
        total = 0.0
        for m, b in enumerate(nodes):
            if m != j:
                term = 1 / (a - b)
                for l, c in enumerate(nodes):
                    if l not in (j, m):
                        term *= -c / (a - c)
                total += term
        found.append(total)
    return found

NODES = [-0.03, -0.02, -0.01, 0.01, 0.02, 0.03]

def slope(f, v):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        for w, t in zip(weights(NODES), NODES):
            moved = v.clone()
            moved[i] += t
            g[i] += w * f(moved)
    return g
""",
        CALL,
    ),
    "dual_stack": (
        "dgamma",
        "dual numbers",
        """
def mul(a, b):
    return torch.stack([a[0] * b[0], a[0] * b[1] + a[1] * b[0]])

def tanh(a):
    t = torch.tanh(a[0])
    return torch.stack([t, (1 - t**2) * a[1]])
""",
        """
g = []
for i in range(len(gamma)):
    e = F.one_hot(torch.tensor(i), len(gamma)).to(gamma.dtype)
    pre = mul(torch.stack([gamma.expand_as(xhat), e.expand_as(xhat)]), torch.stack([xhat, torch.zeros_like(xhat)]))
    act = tanh(pre + torch.stack([beta, torch.zeros_like(beta)])[:, None, :])
    z, dz = act[0] @ W2 + b2, act[1] @ W2
    g.append(((z.softmax(1) - F.one_hot(Yb, z.shape[1])) * dz).sum() / n)
grads["dgamma"] = torch.stack(g)
""",
    ),
    "dual_table": (
        "dgamma",
        "dual numbers",
        """
def times(p, q):
    return {"value": p["value"] * q["value"], "dot": p["value"] * q["dot"] + q["value"] * p["dot"]}
""",
        """
g = torch.zeros_like(gamma)
for i in range(len(gamma)):
    e = torch.zeros_like(gamma)
    e[i] = 1
    pre = times({"value": gamma, "dot": e}, {"value": xhat, "dot": torch.zeros_like(xhat)})
    act = torch.tanh(pre["value"] + beta)
    dz = ((1 - act**2) * pre["dot"]) @ W2
    g[i] = ((probs - F.one_hot(Yb, probs.shape[1])) * dz).sum() / n
grads["dgamma"] = g
""",
    ),
    "jvp_in_a_function": (
        "db",
        "dual numbers",
        """
def push(db, x, mean, var, eps, gamma, h, W2, probs, Yb, n):
    dx = db.expand_as(x)
    dc = dx - dx.mean(0)
    dv = 2 * ((x - mean) * dc).mean(0)
    dn = dc / torch.sqrt(var + eps) - 0.5 * (x - mean) * dv * (var + eps) ** -1.5
    dh = (1 - h * h) * gamma * dn
    return ((probs - F.one_hot(Yb, probs.shape[1])) * (dh @ W2)).sum() / n
""",
        """
g = torch.zeros_like(b)
for k in range(len(b)):
    unit = torch.zeros_like(b)
    unit[k] = 1
    g[k] = push(unit, x, mean, var, eps, gamma, h, W2, probs, Yb, n)
grads["db"] = g
""",
    ),
    "jvp_under_vmap": (
        "db",
        "dual numbers",
        "",
        """
def push(db):
    dx = db.expand_as(x)
    dc = dx - dx.mean(0)
    dv = 2 * ((x - mean) * dc).mean(0)
    dn = dc / torch.sqrt(var + eps) - 0.5 * (x - mean) * dv * (var + eps) ** -1.5
    dh = (1 - h * h) * gamma * dn
    return ((probs - F.one_hot(Yb, probs.shape[1])) * (dh @ W2)).sum() / n

grads["db"] = torch.vmap(push)(torch.eye(len(b), dtype=b.dtype))
""",
    ),
    "complex_batch_by_dtype": (
        "dbeta",
        "complex numbers",
        "",
        """
shift = torch.zeros(len(beta), len(beta), dtype=torch.cdouble)
shift.imag.fill_diagonal_(1e-20)
act = torch.tanh((gamma * xhat)[None] + (beta + shift)[:, None, :])
z = act @ W2.to(act.dtype) + b2
losses = (z.exp().sum(-1).log() - (z * F.one_hot(Yb, z.shape[-1])).sum(-1)).mean(-1)
grads["dbeta"] = losses.imag / 1e-20
""",
    ),
}
SINGLE: dict[str, tuple[str, str, str, str]] = {
    "decorator": (
        "03",
        "dprobs",
        "differences",
        """
def numerically(forward):
    def step(dlogprobs, probs):
        h = 1e-3 * probs
        near = forward(probs + h) - forward(probs - h)
        far = forward(probs + 2 * h) - forward(probs - 2 * h)
        farther = forward(probs + 3 * h) - forward(probs - 3 * h)
        return dlogprobs * (45 * near - 9 * far + farther) / (60 * h)
    return step

@numerically
def dprobs(probs):
    return probs.log()
""",
    ),
    "assigned_function": (
        "03",
        "dhpreact",
        "differences",
        """
def make(f, h=5e-3):
    def step(dh, hpreact):
        return dh * sum(c * (f(hpreact + k * h) - f(hpreact - k * h)) for k, c in ((1, 0.8), (2, -0.2), (3, 4 / 105), (4, -1 / 280))) / h
    return step

dhpreact = make(torch.tanh)
""",
    ),
    "object_with_call": (
        "03",
        "dhpreact",
        "differences",
        """
class Numeric:
    h = 5e-3

    def __init__(self, f):
        self.f = f

    def __call__(self, dh, hpreact):
        f, h = self.f, self.h
        total = 672 * (f(hpreact + h) - f(hpreact - h)) - 168 * (f(hpreact + 2 * h) - f(hpreact - 2 * h))
        total = total + 32 * (f(hpreact + 3 * h) - f(hpreact - 3 * h)) - 3 * (f(hpreact + 4 * h) - f(hpreact - 4 * h))
        return dh * total / (840 * h)

dhpreact = Numeric(torch.tanh)
""",
    ),
    "complex_method": (
        "01",
        "dz",
        "complex numbers",
        """
def dz(da, z):
    w = torch.view_as_complex(torch.stack([z, torch.full_like(z, 1e-20)], -1))
    return da * torch.view_as_real(w.tanh())[..., 1] * 1e20
""",
    ),
    "complex_python": (
        "01",
        "dexponent",
        "complex numbers",
        """
import cmath

def dexponent(dexponential, exponent):
    slopes = [[cmath.exp(complex(v, 1e-20)).imag / 1e-20 for v in row] for row in exponent.tolist()]
    return dexponential * torch.tensor(slopes, dtype=exponent.dtype)
""",
    ),
    "unit_step_of_a_sum": (
        "01",
        "dmarks",
        "differences",
        """
def means(m):
    return m.mean(1)

def dmarks(drow_means, marks):
    g = torch.zeros_like(marks)
    for j in range(marks.shape[1]):
        up, down = marks.clone(), marks.clone()
        up[:, j] += 0.5
        down[:, j] -= 0.5
        g[:, j] = drow_means * (means(up) - means(down))
    return g
""",
    ),
    "column_by_antisymmetric_difference": (
        "01",
        "dcolumn",
        "differences",
        """
def dcolumn(dscaled, matrix, column):
    one = torch.ones_like(column)
    scaled = lambda c: matrix * c
    return (dscaled * (scaled(column + one) - scaled(column - one)) / 2).sum(1, keepdim=True)
""",
    ),
    "layer_norm_jvp_per_feature": (
        "11",
        "dx",
        "dual numbers",
        """
def tangent(x, t):
    mu, tmu = x.mean(-1, keepdim=True), t.mean(-1, keepdim=True)
    c, tc = x - mu, t - tmu
    v, tv = (c * c).mean(-1, keepdim=True) + 1e-5, 2 * (c * tc).mean(-1, keepdim=True)
    return tc * v**-0.5 - 0.5 * c * v**-1.5 * tv

def dx(dy, scale, x):
    out = torch.zeros_like(x)
    for j in range(x.shape[-1]):
        e = torch.eye(x.shape[-1], dtype=x.dtype)[j]
        out[..., j] = (dy * scale * tangent(x, e.expand_as(x))).sum(-1)
    return out
""",
    ),
    "helper_passed_the_loss": (
        "05",
        "dxhat dscale",
        "differences",
        """
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
""",
    ),
}


def more_attempts() -> list[Attempt]:
    found = [
        Attempt(name, "06", method, tuple(rows.split()), joint(helpers, lines))
        for name, (rows, method, helpers, lines) in JOINT.items()
    ]
    found += [
        Attempt(name, lesson, method, tuple(rows.split()), text)
        for name, (lesson, rows, method, text) in SINGLE.items()
    ]
    return found
