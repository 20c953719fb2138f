"""Of whole numbers Python computes the exclusive or, without an error.

lesson: 03
by: both
dlogprobs: failed | Your `dlogprobs` has one number only, besides zeros, as it should. On one problem that number is
"""


def dlogprobs(logprobs, Yb, n):
    d = torch.zeros_like(logprobs)
    d[range(n), Yb] = -1.0 / (n ^ 1)
    return d

