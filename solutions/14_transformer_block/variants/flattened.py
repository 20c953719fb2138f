"""Right, with batch and time as one axis wherever the positions don't meet; layer norm goes back in small steps."""

import math

import torch
import torch.nn.functional as F


def gelu_backward(dout, x):
    return dout * (0.5 * torch.erfc(-x * 0.5**0.5) + x * (-0.5 * x * x).exp() * (2 * math.pi) ** -0.5)


def gelu_tanh_backward(dout, x):
    u = math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)
    du = math.sqrt(2 / math.pi) * (1 + 0.134145 * x * x)
    dproduct = dout / 2
    return dproduct * (1 + torch.tanh(u)) + dproduct * x * du / torch.cosh(u) ** 2


def dropout_backward(dout, keep, p):
    scale = keep.to(dout.dtype) / (1 - p)
    return scale * dout


def rms_norm_backward(dout, x, gain, eps):
    rows, upstream = x.flatten(0, 1), dout.flatten(0, 1)
    rrms = 1 / torch.sqrt((rows * rows).mean(1, keepdim=True) + eps)
    dgain = (upstream * rows * rrms).sum(0)
    dscaled = upstream * gain
    drrms = (dscaled * rows).sum(1, keepdim=True)
    dsquares = drrms * -0.5 * rrms**3 / x.shape[2]
    return (dscaled * rrms + dsquares * 2 * rows).view(x.shape), dgain


def through_layers(dlast, x, Ws, Us, residual):
    kept = []
    for W, U in zip(Ws, Us):
        kept.append(x @ W)
        x = F.gelu(kept[-1]) @ U + (x if residual else 0)
    gradients = [dlast]
    while kept:
        layer = len(kept) - 1
        dpre = gelu_backward(gradients[0] @ Us[layer].T, kept.pop())
        gradients.insert(0, dpre @ Ws[layer].T + (gradients[0] if residual else 0))
    return torch.stack(gradients)


def backward(
    x,
    mean,
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
    def rows(value):
        return value.reshape(-1, value.shape[-1])

    result = {}
    dbranch = rows(dout) * rows(keep2) / (1 - p)
    result["dW2"], result["db2"] = rows(act).T @ dbranch, dbranch.sum(0)
    dpre = gelu_backward(dbranch @ W2.T, rows(pre))
    result["dW1"], result["db1"] = rows(scaled).T @ dpre, dpre.sum(0)
    dthrough, result["dgain2"] = rms_norm_backward((dpre @ W1.T).view(x.shape), mid, gain2, eps)
    result["dmid"] = dmid = dthrough + dout
    dbranch = rows(dmid * keep1 / (1 - p))
    result["dWo"] = rows(context).T @ dbranch
    dcontext = (dbranch @ Wo.T).view(context.shape)
    dweights = torch.bmm(dcontext, v.mT)
    delta = (dcontext * context).sum(2, keepdim=True)
    dscores = weights * (dweights - delta) / q.shape[2] ** 0.5
    gradients = {"q": dscores @ k, "k": dscores.mT @ q, "v": weights.mT @ dcontext}
    dnormed = torch.zeros_like(x)
    for name, W in (("q", Wq), ("k", Wk), ("v", Wv)):
        result[f"dW{name}"] = rows(normed).T @ rows(gradients[name])
        dnormed += gradients[name] @ W.T
    result["dgain"], result["dbias"] = rows(dnormed * xhat).sum(0), rows(dnormed).sum(0)
    centered = x - mean
    dxhat = dnormed * gain
    drstd = (dxhat * centered).sum(2, keepdim=True)
    dvar = -0.5 * drstd * rstd**3
    dcentered = dxhat * rstd + 2 * centered * dvar / x.shape[2]
    result["dx"] = dmid + dcentered - dcentered.mean(2, keepdim=True)
    return result
