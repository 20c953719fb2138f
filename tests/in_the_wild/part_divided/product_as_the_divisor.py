"""`/ a * b` where both should divide.

lesson: 14
gelu_backward: failed | = In `x * torch.exp(-(x**2) / 2) / math.sqrt(2) * math.sqrt(math.pi)`, what follows the
    divisor is no part of it, because there are no brackets. With brackets around the whole divisor, `gelu_backward`
    is right.
others: any
"""


def gelu_backward(dout, x):
    probability = 0.5 * (1 + torch.erf(x / 2**0.5))
    return dout * (probability + x * torch.exp(-(x**2) / 2) / math.sqrt(2) * math.sqrt(math.pi))
