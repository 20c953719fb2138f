"""Of whole numbers Python computes the exclusive or, without an error.

lesson: 03
by: both
dlogprobs: failed | = In `n ^ 1`, an operator is for whole numbers: `//` rounds down, and `^` is exclusive or.
    With `/` for a division and `**` for a power, your `dlogprobs` is right.
"""


def dlogprobs(logprobs, Yb, n):
    d = torch.zeros_like(logprobs)
    d[range(n), Yb] = -1.0 / (n ^ 1)
    return d

