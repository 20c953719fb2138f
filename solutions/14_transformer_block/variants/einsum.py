"""Right, with einsum: b examples, t and s positions, c channels, d features of the head, j hidden units."""

import math

import torch
import torch.nn.functional as F


def gelu_backward(dout, x):
    density = torch.exp(torch.distributions.Normal(0.0, 1.0, validate_args=False).log_prob(x))
    return torch.special.ndtr(x) * dout + x * density * dout


def gelu_tanh_backward(dout, x):
    root = (2 / math.pi) ** 0.5
    gate = torch.sigmoid(2 * root * (x + 0.044715 * x.pow(3)))
    return dout * (gate + x * gate * (1 - gate) * 2 * root * (1 + 0.134145 * x.square()))


def dropout_backward(dout, keep, p):
    return torch.where(keep, dout / (1 - p), 0.0)


def rms_norm_backward(dout, x, gain, eps):
    square = torch.einsum("btc,btc->bt", x, x) / x.shape[2] + eps
    product = torch.einsum("btc,btc,c->bt", x, dout, gain) / x.shape[2]
    dx = torch.einsum("btc,c,bt->btc", dout, gain, square**-0.5) - torch.einsum(
        "btc,bt->btc", x, product * square**-1.5
    )
    return dx, torch.einsum("btc,btc,bt->c", dout, x, square**-0.5)


def through_layers(dlast, x, Ws, Us, residual):
    states = [x]
    for layer in range(len(Ws)):
        states.append(int(residual) * states[-1] + F.gelu(states[-1] @ Ws[layer]) @ Us[layer])
    gradients = torch.zeros(len(states), *x.shape, dtype=x.dtype)
    gradients[-1] = dlast
    for layer in range(len(Ws) - 1, -1, -1):
        dact = torch.einsum("bc,jc->bj", gradients[layer + 1], Us[layer])
        dpre = gelu_backward(dact, torch.einsum("bc,cj->bj", states[layer], Ws[layer]))
        gradients[layer] = torch.einsum("bj,cj->bc", dpre, Ws[layer]) + residual * gradients[layer + 1]
    return gradients


def backward(
    x,
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
    dsecond = dropout_backward(dout, keep2, p)
    dpre = gelu_backward(torch.einsum("btc,jc->btj", dsecond, W2), pre)
    dmid, dgain2 = rms_norm_backward(torch.einsum("btj,cj->btc", dpre, W1), mid, gain2, eps)
    dmid = dmid + dout
    dfirst = dropout_backward(dmid, keep1, p)
    dcontext = torch.einsum("btc,dc->btd", dfirst, Wo)
    dweights = torch.einsum("btd,bsd->bts", dcontext, v)
    dscores = weights * (dweights - torch.einsum("bts,bts->bt", weights, dweights).unsqueeze(2))
    dq = torch.einsum("bts,bsd->btd", dscores, k) / math.sqrt(k.shape[2])
    dk = torch.einsum("bts,btd->bsd", dscores, q) / math.sqrt(k.shape[2])
    dv = torch.einsum("bts,btd->bsd", weights, dcontext)
    dnormed = sum(torch.einsum("btd,cd->btc", g, W) for g, W in ((dq, Wq), (dk, Wk), (dv, Wv)))
    dxhat = dnormed * gain
    variance = torch.var(x, 2, unbiased=False, keepdim=True) + eps
    bracket = (
        dxhat - dxhat.mean(2, keepdim=True) - xhat * torch.einsum("btc,btc->bt", dxhat, xhat).unsqueeze(2) / x.shape[2]
    )
    return (
        torch.einsum("btj,btc->jc", act, dsecond),
        torch.einsum("btc->c", dsecond),
        torch.einsum("btc,btj->cj", scaled, dpre),
        torch.einsum("btj->j", dpre),
        dgain2,
        dmid,
        torch.einsum("btd,btc->dc", context, dfirst),
        torch.einsum("btc,btd->cd", normed, dv),
        torch.einsum("btc,btd->cd", normed, dq),
        torch.einsum("btc,btd->cd", normed, dk),
        torch.einsum("btc,btc->c", dnormed, xhat),
        torch.einsum("btc->c", dnormed),
        dmid + bracket / variance.sqrt(),
    )
