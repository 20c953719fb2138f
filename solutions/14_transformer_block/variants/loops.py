"""Right, one example at a time, with numbers for what is the same at every position."""

import math

import torch
import torch.nn.functional as F


def gelu_backward(dout, x):
    slopes = [
        (1 + math.erf(z / math.sqrt(2))) / 2 + z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        for z in x.flatten().tolist()
    ]
    return dout * torch.tensor(slopes, dtype=x.dtype).view(x.shape)


def gelu_tanh_backward(dout, x):
    root, slopes = math.sqrt(2 / math.pi), []
    for z in x.flatten().tolist():
        gate = math.tanh(root * (z + 0.044715 * z**3))
        slopes.append((1 + gate + z * (1 - gate) * (1 + gate) * root * (1 + 0.134145 * z**2)) / 2)
    return dout * torch.tensor(slopes, dtype=x.dtype).view(x.shape)


def dropout_backward(dout, keep, p):
    numbers = [g / (1 - p) if kept else 0.0 for g, kept in zip(dout.flatten().tolist(), keep.flatten().tolist())]
    return torch.tensor(numbers, dtype=dout.dtype).view(dout.shape)


def rms_norm_backward(dout, x, gain, eps):
    dx, dgain, n = torch.zeros_like(x), torch.zeros_like(gain), x.shape[2]
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            row, upstream = x[b, t], dout[b, t]
            square = row @ row / n + eps
            dgain = dgain + upstream * row / square**0.5
            dx[b, t] = upstream * gain / square**0.5 - row * ((upstream * gain) @ row) / n / square**1.5
    return dx, dgain


def through_layers(dlast, x, Ws, Us, residual):
    """Recursively: the first layer, and all that come after it."""
    if not len(Ws):
        return dlast[None]
    pre = x @ Ws[0]
    branch = F.gelu(pre) @ Us[0]
    later = through_layers(dlast, x + branch if residual else branch, Ws[1:], Us[1:], residual)
    first = gelu_backward(later[0] @ Us[0].T, pre) @ Ws[0].T
    return torch.cat(((later[0] + first if residual else first)[None], later))


def backward(
    x,
    rstd,
    gain,
    Wq,
    Wk,
    Wv,
    Wo,
    gain2,
    W1,
    W2,
    keep1,
    keep2,
    dout,
    p,
    eps,
    xhat,
    normed,
    q,
    k,
    v,
    weights,
    context,
    mid,
    scaled,
    pre,
    act,
):
    totals = {}

    def add(name, value):
        totals[name] = totals.get(name, 0) + value

    dmid, dx = [], []
    for b in range(len(x)):
        dbranch = dropout_backward(dout[b], keep2[b], p)
        add("dW2", act[b].T @ dbranch)
        add("db2", dbranch.sum(0))
        dpre = gelu_backward(dbranch @ W2.T, pre[b])
        add("dW1", scaled[b].T @ dpre)
        add("db1", dpre.sum(0))
        through, dgain2 = rms_norm_backward((dpre @ W1.T)[None], mid[b][None], gain2, eps)
        add("dgain2", dgain2)
        dmid.append(through[0] + dout[b])
        dbranch = dropout_backward(dmid[-1], keep1[b], p)
        add("dWo", context[b].T @ dbranch)
        dcontext = dbranch @ Wo.T
        dweights = dcontext @ v[b].T
        rows = [torch.diag(w) @ g - w * (w @ g) for w, g in zip(weights[b], dweights)]
        dscores = torch.stack(rows) / math.sqrt(q.shape[2])
        dnormed = 0
        for name, g, W in (
            ("dWq", dscores @ k[b], Wq),
            ("dWk", dscores.T @ q[b], Wk),
            ("dWv", weights[b].T @ dcontext, Wv),
        ):
            add(name, normed[b].T @ g)
            dnormed = dnormed + g @ W.T
        add("dgain", (dnormed * xhat[b]).sum(0))
        add("dbias", dnormed.sum(0))
        dxhat = dnormed * gain
        mean, along = dxhat.mean(1, keepdim=True), (dxhat * xhat[b]).mean(1, keepdim=True)
        dx.append((dxhat - mean - xhat[b] * along) * rstd[b] + dmid[b])
    return totals | {"dmid": torch.stack(dmid), "dx": torch.stack(dx)}
