"""Of whole numbers Python computes the exclusive or, without an error.

lesson: 03
by: both
dlogprobs: failed | = In `n ^ 1`, `^` is exclusive or, for integers and truth values. With `**`, which is the power,
    your `dlogprobs` is right.
"""


def dlogprobs(logprobs, Yb, n):
    d = torch.zeros_like(logprobs)
    d[range(n), Yb] = -1.0 / (n ^ 1)
    return d

