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

# === batched: differences: dbeta

# in backward:
h = 1e-4
moved = torch.stack([beta + h * torch.eye(len(beta), dtype=beta.dtype), beta - h * torch.eye(len(beta), dtype=beta.dtype),
                     beta + 2 * h * torch.eye(len(beta), dtype=beta.dtype), beta - 2 * h * torch.eye(len(beta), dtype=beta.dtype)])
act = torch.tanh(gamma * xhat + moved[:, :, None, :])
z = act @ W2 + b2
losses = (z.logsumexp(-1) - (z * F.one_hot(Yb, z.shape[-1])).sum(-1)).mean(-1)
grads["dbeta"] = (8 * (losses[0] - losses[1]) - (losses[2] - losses[3])) / (12 * h)

# === checker_gets_all_gradients: a look-alike
def numerical(f, v, h=1e-6):
    g = torch.zeros_like(v)
    for i in range(v.numel()):
        up, down = v.clone().view(-1), v.clone().view(-1)
        up[i] += h
        down[i] -= h
        g.view(-1)[i] = (f(up.view(v.shape)) - f(down.view(v.shape))) / (2 * h)
    return g

def compare_all(grads, h, W2, b2, Yb):
    errors = {}
    errors["db2"] = (numerical(lambda v: F.cross_entropy(h @ W2 + v, Yb), b2) - grads["db2"]).abs().max()
    print(errors)
    return errors

# in backward:
errors = compare_all(grads, h, W2, b2, Yb)
assert all(error < 1e-4 for error in errors.values())

# === checker_moves_the_parameters: a look-alike
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

# in backward:
bias = b2.clone()
check_in_place(lambda: F.cross_entropy(h @ W2 + bias, Yb), bias, grads["db2"])

# === complex_step_numpy: complex numbers: dbeta
import numpy as np

# in backward:
X, G, M, B, Y = (t.numpy() for t in (xhat, gamma, W2, b2, Yb))
g = np.zeros(len(beta))
for i in range(len(beta)):
    v = beta.numpy().astype(complex)
    v[i] += 1j * 1e-25
    z = np.tanh(G * X + v) @ M + B
    g[i] = np.imag((np.log(np.exp(z).sum(1)) - z[np.arange(n), Y]).mean()) / 1e-25
grads["dbeta"] = torch.from_numpy(g)

# === contour_integral: complex numbers: dbeta
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

# in backward:
grads["dbeta"] = slope(lambda v: stable_loss({**params, "beta": v, "gamma": gamma}, Xb, Yb, eps), beta)

# === dual_stack: own differentiation: dgamma
def mul(a, b):
    return torch.stack([a[0] * b[0], a[0] * b[1] + a[1] * b[0]])

def tanh(a):
    t = torch.tanh(a[0])
    return torch.stack([t, (1 - t**2) * a[1]])

# in backward:
g = []
for i in range(len(gamma)):
    e = F.one_hot(torch.tensor(i), len(gamma)).to(gamma.dtype)
    pre = mul(torch.stack([gamma.expand_as(xhat), e.expand_as(xhat)]), torch.stack([xhat, torch.zeros_like(xhat)]))
    act = tanh(pre + torch.stack([beta, torch.zeros_like(beta)])[:, None, :])
    z, dz = act[0] @ W2 + b2, act[1] @ W2
    g.append(((z.softmax(1) - F.one_hot(Yb, z.shape[1])) * dz).sum() / n)
grads["dgamma"] = torch.stack(g)

# === forward_again_and_the_loss_printed: a look-alike
def forward_pass(C, W, b, gamma, beta, W2, b2, Xb, Yb, eps=1e-5):
    x = C[Xb].flatten(1) @ W + b
    xhat = (x - x.mean(0)) / torch.sqrt(x.var(0, unbiased=False) + eps)
    h = torch.tanh(gamma * xhat + beta)
    return F.cross_entropy(h @ W2 + b2, Yb), h

# in backward:
loss, again = forward_pass(C, W, b, gamma, beta, W2, b2, Xb, Yb)
moved, _ = forward_pass(C, W, b, gamma, beta, W2, b2 - 0.1 * grads["db2"], Xb, Yb)
print(loss.item(), (loss - moved).item() / 0.1, (grads["db2"] ** 2).sum().item())
grads["dW2"] = again.T @ ((probs - F.one_hot(Yb, probs.shape[1])) / n)

# === in_place_and_restored: differences: dbeta
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

# in backward:
grads["dbeta"] = slope(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta.clone())

# === jvp_under_vmap: own differentiation: db

# in backward:
def push(db):
    dx = db.expand_as(x)
    dc = dx - dx.mean(0)
    dv = 2 * ((x - mean) * dc).mean(0)
    dn = dc / torch.sqrt(var + eps) - 0.5 * (x - mean) * dv * (var + eps) ** -1.5
    dh = (1 - h * h) * gamma * dn
    return ((probs - F.one_hot(Yb, probs.shape[1])) * (dh @ W2)).sum() / n

grads["db"] = torch.vmap(push)(torch.eye(len(b), dtype=b.dtype))

# === numpy_central: differences: dbeta
import numpy as np

def loss_np(beta, xhat, gamma, W2, b2, Yb):
    z = np.tanh(gamma * xhat + beta) @ W2 + b2
    z = z - z.max(1, keepdims=True)
    return (np.log(np.exp(z).sum(1)) - z[np.arange(len(Yb)), Yb]).mean()

# in backward:
arrays = [t.numpy() for t in (xhat, gamma, W2, b2, Yb)]
start, h = beta.numpy().copy(), 1e-5
g = np.zeros_like(start)
for i in np.ndindex(start.shape):
    up, down = start.copy(), start.copy()
    up[i] += h
    down[i] -= h
    g[i] = (loss_np(up, *arrays) - loss_np(down, *arrays)) / (2 * h)
grads["dbeta"] = torch.from_numpy(g)

# === pure_python: differences: db2
import math

def loss_py(b2, h, W2, Y):
    total = 0.0
    for row, y in zip(h, Y):
        z = [sum(a * w for a, w in zip(row, column)) + bias for column, bias in zip(W2, b2)]
        m = max(z)
        total += m + math.log(sum(math.exp(v - m) for v in z)) - z[y]
    return total / len(Y)

# in backward:
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

# === vmap: differences: dbeta
def slope(f, v):
    h = 1e-5
    shifts = h * torch.eye(v.numel(), dtype=v.dtype)
    return torch.vmap(lambda e: (f(v + e) - f(v - e)) / (2 * h))(shifts)

# in backward:
def f(v):
    out = v * xhat + 0 if False else gamma * xhat + v
    z = torch.tanh(out) @ W2 + b2
    return (z.logsumexp(1) - (z * F.one_hot(Yb, z.shape[1])).sum(1)).mean()

grads["dbeta"] = slope(f, beta)
