"""The product rule of the GELU without x in its second term.

lesson: 15
dW1: failed | = A factor is missing in the GELU's derivative. In x · Φ(x) both factors depend on x: write the product
    rule out.
others: any
"""


def gelu_backward(dout, x):
    density = torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return dout * (0.5 * (1 + torch.erf(x / math.sqrt(2))) + density)
