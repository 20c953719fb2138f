"""`/ a * b` where both should divide.

lesson: 14
gelu_backward: failed | only `math.sqrt(2)` divides: without brackets, what follows it is no part of the divisor. Divided by
    `math.sqrt(2) * math.sqrt(math.pi)`, `gelu_backward` is right.
others: any
"""


def gelu_backward(dout, x):
    probability = 0.5 * (1 + torch.erf(x / 2**0.5))
    return dout * (probability + x * torch.exp(-(x**2) / 2) / math.sqrt(2) * math.sqrt(math.pi))
