"""A gradient that is no parameter is the function of that name; a module that the file does not import.

lesson: 03
by: both
dprobs: error | That line uses a function where it needs a tensor. Inside the function of a gradient, add the
dlogprobs: error | `math` is not imported: write `import math` at the top of the file.
"""


def dprobs(probs):
    return dlogprobs / probs


def dlogprobs(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0 / math.fabs(n)
    return gradient
