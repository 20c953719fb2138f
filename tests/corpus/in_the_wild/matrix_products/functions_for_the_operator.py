"""A matrix product written as a function is read as `@`.

lesson: 03
by: both
dW2: error | In `torch.matmul(h, dlogits)`, a transpose is missing, one too many, or in the wrong place.
"""


def dW2(dlogits, h):
    return torch.matmul(h, dlogits)
