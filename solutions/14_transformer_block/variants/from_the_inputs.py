"""Right, with nothing but inputs: the function runs the forward pass again, as checkpointing does."""

import math

import torch
import torch.nn.functional as F


def normal(x):
    return torch.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)


def gelu_backward(dout, x):
    return dout * torch.special.ndtr(x) + dout * x * normal(x)


def gelu_tanh_backward(dout, x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))
    du = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * torch.pow(x, 2))
    return 0.5 * dout * (1 + u.tanh() + x * du - x * du * u.tanh() ** 2)


def dropout_backward(dout, keep, p):
    return torch.zeros_like(dout).masked_scatter(keep, dout[keep]) / (1 - p)


def rms_norm_backward(dout, x, gain, eps):
    """With each position's Jacobian: (I - xhat xhat' / n) / rms."""
    n = x.shape[2]
    rms = (x.pow(2).mean(2) + eps).sqrt()
    xhat = x / rms[:, :, None]
    jacobian = (torch.eye(n, dtype=x.dtype) - xhat[:, :, :, None] * xhat[:, :, None, :] / n) / rms[:, :, None, None]
    return ((dout * gain)[:, :, None, :] @ jacobian)[:, :, 0], (dout * xhat).flatten(0, 1).sum(0)


def through_layers(dlast, x, Ws, Us, residual):
    """With the Jacobian of each layer, from `h[l]` to `h[l + 1]`, for each example."""
    jacobians = []
    for W, U in zip(Ws, Us):
        slopes = gelu_backward(torch.ones_like(x @ W), x @ W)
        jacobians.append(torch.einsum("cj,bj,jd->bcd", W, slopes, U) + residual * torch.eye(x.shape[1], dtype=x.dtype))
        x = residual * x + F.gelu(x @ W) @ U
    gradients = [dlast]
    for jacobian in jacobians[::-1]:
        gradients = [(jacobian @ gradients[0][:, :, None])[:, :, 0], *gradients]
    return torch.stack(gradients)


def backward(x, gain, bias, Wq, Wk, Wv, Wo, gain2, W1, b1, W2, past, keep1, keep2, dout, p, eps):
    xhat = F.layer_norm(x, x.shape[2:], eps=eps)
    normed = xhat * gain + bias
    q, k, v = normed @ Wq, normed @ Wk, normed @ Wv
    weights = (q @ k.mT / q.shape[2] ** 0.5).masked_fill(~past, -math.inf).softmax(-1)
    context = weights @ v
    mid = x + context @ Wo * keep1 / (1 - p)
    scaled = F.rms_norm(mid, gain2.shape, gain2, eps)
    pre = scaled @ W1 + b1

    def weight(value, upstream):
        return (value.mT @ upstream).sum(0)

    def norm(dxhat, xhat):
        return dxhat - dxhat.mean(2, keepdim=True) - xhat * (dxhat * xhat).mean(2, keepdim=True)

    db2 = dropout_backward(dout, keep2, p)
    dpre = gelu_backward(db2 @ W2.T, pre)
    dmid, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
    dmid = dmid + dout
    dbranch = dropout_backward(dmid, keep1, p)
    dcontext = dbranch @ Wo.T
    dweights = dcontext @ v.mT
    dscores = weights * dweights - weights * (dcontext * context).sum(2, keepdim=True)
    dq, dk, dv = dscores @ k / q.shape[2] ** 0.5, dscores.mT @ q / q.shape[2] ** 0.5, weights.mT @ dcontext
    dnormed = torch.cat((dq, dk, dv), 2) @ torch.cat((Wq, Wk, Wv), 1).T
    std = torch.sqrt(x.var(2, unbiased=False, keepdim=True) + eps)
    return {
        "dx": dmid + norm(dnormed * gain, xhat) / std,
        "dbias": dnormed.sum(1).sum(0),
        "dgain": (dnormed * xhat).sum(1).sum(0),
        "dWk": weight(normed, dk),
        "dWq": weight(normed, dq),
        "dWv": weight(normed, dv),
        "dWo": weight(context, dbranch),
        "dmid": dmid,
        "dgain2": dgain2,
        "db1": dpre.sum(1).sum(0),
        "dW1": weight(scaled, dpre),
        "db2": db2.sum(1).sum(0),
        "dW2": weight(F.gelu(pre), db2),
    }
