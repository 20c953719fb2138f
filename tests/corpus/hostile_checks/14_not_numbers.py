"""NaN and infinite numbers, which are never above a limit."""
# group: hostile return values
# lesson: 14
# rows: missing
# rows of gelu_backward: failed
# rows of gelu_tanh_backward: failed
# rows of dropout_backward: failed
# rows of rms_norm_backward: failed
# rows of through_layers: failed

import torch


def gelu_backward(dout, x):
    return dout * float("nan")


def gelu_tanh_backward(dout, x):
    return dout / 0


def dropout_backward(dout, keep, p):
    return dout.where(keep, torch.nan)


def rms_norm_backward(dout, x, gain, eps):
    return dout * float("nan"), gain * float("inf")


def through_layers(dlast, x, Ws, Us, residual):
    return torch.full((len(Ws) + 1, *x.shape), float("nan"), dtype=x.dtype)
