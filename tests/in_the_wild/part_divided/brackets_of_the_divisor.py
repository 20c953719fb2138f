"""Brackets that are missing around what divides, or around what a function is applied to.

lesson: 14
by: both
dropout_backward: failed | In `dout * keep / 1 - p`, only `1` divides: without brackets, what follows it is no part of the
    divisor. Divided by `1 - p`, `dropout_backward` is right.
gelu_backward: failed | `torch.erf(x) / math.sqrt(2)` scales what `torch.erf(x)` returns. With its argument scaled instead,
    `gelu_backward` is right.
others: any
"""


def dropout_backward(dout, keep, p):
    return dout * keep / 1 - p


def gelu_backward(dout, x):
    probability = 0.5 * (1 + torch.erf(x) / math.sqrt(2))
    return dout * (probability + x * torch.exp(-0.5 * x**2) / math.sqrt(2 * math.pi))
