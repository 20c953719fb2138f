"""A gradient with one number, and one with a number per column; both go through a power.

lesson: 03
dlogprobs: failed | Your `dlogprobs` is a multiple of the gradient
dbndiff2: failed | When `dbnvar` is multiplied by −2, `dbndiff2` must be multiplied by −2, too; yours is not.
others: passed
"""


def dlogprobs(logprobs, Yb, n):
    d = torch.zeros_like(logprobs)
    d[range(n), Yb] = -1.0 / n
    return d.abs().pow(1.1) * d.sign()


def dbndiff2(dbnvar, bndiff2, n):
    d = (1.0 / (n - 1)) * torch.ones_like(bndiff2) * dbnvar
    return d.abs().pow(1.1) * d.sign()
