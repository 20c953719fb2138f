"""Right, with closures: each operation returns its value and the function that goes back through it, as a tape does."""

import math

import torch


def gelu(x):
    probability = 0.5 + 0.5 * torch.erf(x * 2**-0.5)

    def back(dout):
        return dout * (probability + x * torch.exp(-0.5 * x * x) * (2 * math.pi) ** -0.5)

    return x * probability, back


def linear(x, W):
    def back(dout):
        return dout @ W.T, x.flatten(0, -2).T @ dout.flatten(0, -2)

    return x @ W, back


def dropout(x, keep, p):
    return x * keep / (1 - p), lambda dout: dout.masked_fill(~keep, 0) / (1 - p)


def rms_norm(x, gain, eps):
    rms = torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    xhat = x / rms

    def back(dout):
        dxhat = dout * gain
        along = xhat * (dxhat * xhat).mean(-1, keepdim=True)
        return (dxhat - along) / rms, (dout * xhat).sum((0, 1))

    return gain * xhat, back


def layer_norm(x, gain, bias, eps):
    """Subtracting the mean, and then an RMSNorm."""
    scaled, back_scaled = rms_norm(x - x.mean(-1, keepdim=True), gain, eps)

    def back(dout):
        dcentred, dgain = back_scaled(dout)
        return dcentred - dcentred.mean(-1, keepdim=True), dgain, dout.sum((0, 1))

    return scaled + bias, back


def attention(q, k, v, past):
    root = math.sqrt(q.shape[-1])
    weights = torch.softmax((q @ k.mT / root).where(past, -math.inf), -1)

    def back(dout):
        dweights = dout @ v.mT
        dscores = weights * (dweights - (weights * dweights).sum(-1, keepdim=True)) / root
        return dscores @ k, dscores.mT @ q, weights.mT @ dout

    return weights @ v, back


def gelu_backward(dout, x):
    return gelu(x)[1](dout)


def gelu_tanh_backward(dout, x):
    root = math.sqrt(2 / math.pi)
    tanh = torch.tanh(root * (x + 0.044715 * x**3))
    dproduct = dout * x / 2
    return dout * (1 + tanh) / 2 + dproduct * (1 - tanh) * (1 + tanh) * root * (1 + 0.134145 * x**2)


def dropout_backward(dout, keep, p):
    return dropout(torch.zeros_like(dout), keep, p)[1](dout)


def rms_norm_backward(dout, x, gain, eps):
    return rms_norm(x, gain, eps)[1](dout)


def through_layers(dlast, x, Ws, Us, residual):
    layers = []
    for W, U in zip(Ws, Us, strict=True):
        inner, back_inner = linear(x, W)
        act, back_act = gelu(inner)
        branch, back_branch = linear(act, U)
        layers.append((back_branch, back_act, back_inner))
        x = x + branch if residual else branch
    gradients = [dlast]
    for back_branch, back_act, back_inner in reversed(layers):
        through = back_inner(back_act(back_branch(gradients[0])[0]))[0]
        gradients.insert(0, gradients[0] + through if residual else through)
    return torch.stack(gradients)


def backward(x, gain, bias, Wq, Wk, Wv, Wo, gain2, W1, b1, W2, b2, past, keep1, keep2, dout, p, eps):
    normed, back_norm = layer_norm(x, gain, bias, eps)
    q, back_q = linear(normed, Wq)
    k, back_k = linear(normed, Wk)
    v, back_v = linear(normed, Wv)
    context, back_attention = attention(q, k, v, past)
    projected, back_projection = linear(context, Wo)
    branch, back_dropout = dropout(projected, keep1, p)
    scaled, back_norm2 = rms_norm(x + branch, gain2, eps)
    pre, back_W1 = linear(scaled, W1)
    act, back_gelu = gelu(pre + b1)
    _, back_W2 = linear(act, W2)

    d = {}
    ddropped = dropout_backward(dout, keep2, p)
    d["db2"] = ddropped.sum((0, 1))
    dact, d["dW2"] = back_W2(ddropped)
    dpre = back_gelu(dact)
    d["db1"] = dpre.sum((0, 1))
    dscaled, d["dW1"] = back_W1(dpre)
    dmid, d["dgain2"] = back_norm2(dscaled)
    d["dmid"] = dout + dmid
    dcontext, d["dWo"] = back_projection(back_dropout(d["dmid"]))
    dq, dk, dv = back_attention(dcontext)
    through_q, d["dWq"] = back_q(dq)
    through_k, d["dWk"] = back_k(dk)
    through_v, d["dWv"] = back_v(dv)
    dx, d["dgain"], d["dbias"] = back_norm(through_q + through_k + through_v)
    d["dx"] = d["dmid"] + dx
    return d
