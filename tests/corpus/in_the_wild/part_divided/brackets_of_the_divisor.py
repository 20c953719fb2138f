"""Brackets that are missing around what divides, or around what a function is applied to.

lesson: 14
by: both
dropout_backward: failed | In `dout * keep / 1 - p`, brackets are missing: powers come first, then products
    and quotients, then sums and differences. With brackets around the right part, `dropout_backward` is right.
gelu_backward: failed | `torch.erf(x) / math.sqrt(2)` changes what `x` becomes, and not `x` itself. With
    `math.sqrt(2)` inside of the function's brackets, `gelu_backward` is right.
others: any
"""


def dropout_backward(dout, keep, p):
    return dout * keep / 1 - p


def gelu_backward(dout, x):
    probability = 0.5 * (1 + torch.erf(x) / math.sqrt(2))
    return dout * (probability + x * torch.exp(-0.5 * x**2) / math.sqrt(2 * math.pi))
