"""Right, in place on its own tensors."""

import math

import torch
import torch.nn.functional as F


def gelu_backward(dout, x):
    slope = torch.erf(x / 2**0.5).add_(1).mul_(0.5)
    slope += x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return slope.mul_(dout)


def gelu_tanh_backward(dout, x):
    tanh = x.pow(3).mul_(0.044715).add_(x).mul_(math.sqrt(2 / math.pi)).tanh_()
    slope = (
        tanh.square().neg_().add_(1).mul_(x).mul_(x.square().mul_(3 * 0.044715).add_(1)).mul_(math.sqrt(2 / math.pi))
    )
    return slope.add_(tanh).add_(1).mul_(dout).div_(2)


def dropout_backward(dout, keep, p):
    dx = dout.clone()
    dx[~keep] = 0
    dx /= 1 - p
    return dx


def rms_norm_backward(dout, x, gain, eps):
    root = x.square().mean(2, keepdim=True).add_(eps).sqrt_()
    xhat = x / root
    dgain = (dout * xhat).sum(0).sum(0)
    dx = dout * gain
    dx -= xhat * (dx * xhat).mean(2, keepdim=True)
    dx /= root
    return dx, dgain


def through_layers(dlast, x, Ws, Us, residual):
    h = x.clone()
    pre = torch.empty(len(Ws), len(x), Ws.shape[2], dtype=x.dtype)
    for layer in range(len(Ws)):
        pre[layer] = h @ Ws[layer]
        if not residual:
            h = torch.zeros_like(h)
        h += F.gelu(pre[layer]) @ Us[layer]
    gradients = torch.empty(len(Ws) + 1, *x.shape, dtype=x.dtype)
    gradients[-1] = dlast
    for layer in reversed(range(len(Ws))):
        gradients[layer] = gelu_backward(gradients[layer + 1] @ Us[layer].T, pre[layer]) @ Ws[layer].T
        if residual:
            gradients[layer] += gradients[layer + 1]
    return gradients


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
    dbranch = dropout_backward(dout, keep2, p)
    dW2, db2 = torch.tensordot(act, dbranch, ([0, 1], [0, 1])), dbranch.sum(1).sum(0)
    dpre = gelu_backward(dbranch @ W2.T, pre)
    dW1, db1 = torch.tensordot(scaled, dpre, ([0, 1], [0, 1])), dpre.sum(1).sum(0)
    dmid, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
    dmid += dout
    dbranch = dropout_backward(dmid, keep1, p)
    dWo = torch.tensordot(context, dbranch, ([0, 1], [0, 1]))
    dcontext = dbranch @ Wo.T
    dscores = dcontext @ v.transpose(1, 2)
    dscores -= (dscores * weights).sum(2, keepdim=True)
    dscores *= weights
    dscores /= q.shape[2] ** 0.5
    dq, dk, dv = dscores @ k, dscores.transpose(1, 2) @ q, weights.transpose(1, 2) @ dcontext
    dWq, dWk, dWv = (torch.tensordot(normed, g, ([0, 1], [0, 1])) for g in (dq, dk, dv))
    dnormed = dq @ Wq.T
    dnormed += dk @ Wk.T
    dnormed += dv @ Wv.T
    dgain, dbias = (dnormed * xhat).sum(1).sum(0), dnormed.sum(1).sum(0)
    dx = dnormed * gain
    along = (dx * xhat).mean(2, keepdim=True)
    dx -= dx.mean(2, keepdim=True)
    dx -= xhat * along
    dx *= rstd
    dx += dmid
    return dW2, db2, dW1, db1, dgain2, dmid, dWo, dWv, dWq, dWk, dgain, dbias, dx
