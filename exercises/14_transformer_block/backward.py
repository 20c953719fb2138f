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
    # TODO: replace the next line by your own
    raise NotImplementedError


def gelu_tanh_backward(dout, x):
    """Back through GELU's tanh form: `out = x * (1 + tanh(u)) / 2` with `u = sqrt(2 / pi) * (x + 0.044715 * x**3)`.

    dout, x: tensors of the same shape
    Returns dx, of that shape.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dropout_backward(dout, keep, p):
    """Back through dropout, `out = x * keep / (1 - p)`.

    dout: any shape; keep: the same shape, True where x was kept; p: the probability of dropping a number
    Returns dx, of that shape.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def rms_norm_backward(dout, x, gain, eps):
    """Back through RMSNorm, `out = gain * x * ((x**2).mean(2, keepdim=True) + eps) ** -0.5`.

    dout, x: (batch, time, channels); gain: (channels,); eps: a number
    Returns `(dx, dgain)`, each with the shape of its value.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def through_layers(dlast, x, Ws, Us, residual):
    """Run a stack of layers forward, and go back through all of them.

    With residual connections, `h[l + 1] = h[l] + F.gelu(h[l] @ Ws[l]) @ Us[l]`; without, the term `h[l] +` is missing.
    The stack begins with `h[0] = x`.

    dlast: (batch, channels), the upstream gradient of the last h; x: (batch, channels)
    Ws: (layers, channels, hidden); Us: (layers, hidden, channels); residual: True or False
    Returns (layers + 1, batch, channels): the gradients of h[0], h[1] ..., the last h.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


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
    # TODO: replace the next line by your own
    raise NotImplementedError
