"""Lesson 14: a transformer block, backwards.

First write the parts: each function goes back through one kind of step. Then `through_layers` goes back through a stack
of layers, with and without residual connections. Finally, `backward` goes back through the whole block of forward.py.
Use your own functions in it. Check your work with `dojo check 14`. README.md explains the forward pass.
"""

import math

import torch
import torch.nn.functional as F


def gelu_backward(dout, x):
    """Back through the exact GELU, `out = x * Phi(x)`, where Phi is the normal distribution's cumulative probability.

    dout, x: tensors of the same shape
    Returns dx, of that shape.
    """
    # <answer>
    probability = (1 + torch.erf(x / math.sqrt(2))) / 2
    density = torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return dout * (probability + x * density)
    # </answer>


def gelu_tanh_backward(dout, x):
    """Back through GELU's tanh form: `out = x * (1 + tanh(u)) / 2` with `u = sqrt(2 / pi) * (x + 0.044715 * x**3)`.

    dout, x: tensors of the same shape
    Returns dx, of that shape.
    """
    # <answer>
    root = math.sqrt(2 / math.pi)
    tanh = torch.tanh(root * (x + 0.044715 * x**3))
    slope = root * (1 + 3 * 0.044715 * x**2)
    return dout * ((1 + tanh) / 2 + x * (1 - tanh**2) * slope / 2)
    # </answer>


def dropout_backward(dout, keep, p):
    """Back through dropout, `out = x * keep / (1 - p)`.

    dout: any shape; keep: the same shape, True where x was kept; p: the probability of dropping a number
    Returns dx, of that shape.
    """
    # <answer>
    return dout * keep / (1 - p)
    # </answer>


def rms_norm_backward(dout, x, gain, eps):
    """Back through RMSNorm, `out = gain * x * ((x**2).mean(2, keepdim=True) + eps) ** -0.5`.

    dout, x: (batch, time, channels); gain: (channels,); eps: a number
    Returns `(dx, dgain)`, each with the shape of its value.
    """
    # <answer>
    rrms = ((x**2).mean(2, keepdim=True) + eps) ** -0.5
    xhat = x * rrms
    dxhat = dout * gain
    dx = (dxhat - xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
    dgain = (dout * xhat).sum((0, 1))
    return dx, dgain
    # </answer>


def through_layers(dlast, x, Ws, Us, residual):
    """Run a stack of layers forward, and go back through all of them.

    With residual connections, `h[l + 1] = h[l] + F.gelu(h[l] @ Ws[l]) @ Us[l]`; without, the term `h[l] +` is missing.
    The stack begins with `h[0] = x`.

    dlast: (batch, channels), the upstream gradient of the last h; x: (batch, channels)
    Ws: (layers, channels, hidden); Us: (layers, hidden, channels); residual: True or False
    Returns (layers + 1, batch, channels): the gradients of h[0], h[1] ..., the last h.
    """
    # <answer>
    pre, h = [], x
    for W, U in zip(Ws, Us, strict=True):
        pre.append(h @ W)
        branch = F.gelu(pre[-1]) @ U
        h = h + branch if residual else branch
    gradients = [dlast]
    for W, U, z in zip(reversed(Ws), reversed(Us), reversed(pre), strict=True):
        through = gelu_backward(gradients[-1] @ U.T, z) @ W.T
        gradients.append(gradients[-1] + through if residual else through)
    return torch.stack(gradients[::-1])
    # </answer>


def backward(
    x, gain, Wq, Wk, Wv, Wo, gain2, W1, W2, keep1, keep2, dout, p, eps,
    rstd, xhat, normed, q, k, v, weights, context, mid, scaled, pre, act,
):  # fmt: skip
    """Go back through the whole block of forward.py, from `dout` to `x`.

    The parameters are inputs and values of the forward pass, by name. Delete those that you don't need, and add
    others that you need: any name of forward.py is possible.

    Returns a dictionary with these keys, or a tuple in this order:

        "dW2", "db2", "dW1", "db1", "dgain2", "dmid", "dWo", "dWv", "dWq", "dWk", "dgain", "dbias", "dx"

    each with the shape of its own value; None stands for one that you have not written yet.
    """
    # <answer>
    # second dropout and MLP
    ddropped = dropout_backward(dout, keep2, p)
    dW2 = torch.einsum("btj,btc->jc", act, ddropped)
    db2 = ddropped.sum((0, 1))
    dpre = gelu_backward(ddropped @ W2.T, pre)
    dW1 = torch.einsum("btc,btj->cj", scaled, dpre)
    db1 = dpre.sum((0, 1))
    # RMSNorm and the second residual connection
    through_mlp, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
    dmid = dout + through_mlp
    # first dropout and attention
    dprojected = dropout_backward(dmid, keep1, p)
    dWo = torch.einsum("bts,btc->sc", context, dprojected)
    dcontext = dprojected @ Wo.T
    dv = weights.transpose(1, 2) @ dcontext
    dweights = dcontext @ v.transpose(1, 2)
    dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True))
    dproducts = dscores / q.shape[2] ** 0.5
    dq = dproducts @ k
    dk = dproducts.transpose(1, 2) @ q
    dWv = torch.einsum("btc,bts->cs", normed, dv)
    dWq = torch.einsum("btc,bts->cs", normed, dq)
    dWk = torch.einsum("btc,bts->cs", normed, dk)
    dnormed = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    # layer norm and the first residual connection
    dgain = (dnormed * xhat).sum((0, 1))
    dbias = dnormed.sum((0, 1))
    dxhat = dnormed * gain
    along = xhat * (dxhat * xhat).mean(2, keepdim=True)
    through_attention = (dxhat - dxhat.mean(2, keepdim=True) - along) * rstd
    dx = dmid + through_attention
    return {
        "dW2": dW2,
        "db2": db2,
        "dW1": dW1,
        "db1": db1,
        "dgain2": dgain2,
        "dmid": dmid,
        "dWo": dWo,
        "dWv": dWv,
        "dWq": dWq,
        "dWk": dWk,
        "dgain": dgain,
        "dbias": dbias,
        "dx": dx,
    }
    # </answer>
