"""`=+` in a sum of three paths: only the last one is left.

lesson: 13
by: both
dx: failed | = In your `dx`, the part that comes through `q` is missing, and the part that comes through `k`
    is missing. Gradients of all paths add up. The rest is right.
dWv: failed | = `total =+ x[b].T @ dv[b]` assigns: `=+` is `=` and a sign. With `+=`, your `dWv` is right.
others: passed
"""


def dx(dq, dk, dv, Wq, Wk, Wv):
    dx = dq @ Wq.T
    dx =+ dk @ Wk.T
    dx =+ dv @ Wv.T
    return dx


def dWv(dv, x):
    total = torch.zeros(x.shape[2], dv.shape[2])
    for b in range(len(x)):
        total =+ x[b].T @ dv[b]
    return total


def split_heads(x, heads):
    size = x.shape[2] // heads
    out = x.new_zeros(x.shape[0], heads, x.shape[1], size)
    for h in range(heads):
        out[:, h] =+ x[:, :, h * size : (h + 1) * size]
    return out
