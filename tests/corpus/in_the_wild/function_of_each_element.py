# === sine: A gradient with one number, and one with a number per column; both go through a sine.
# lesson: 03
# dlogprobs: failed | = You write `d.sin()` where `d` belongs. With that, your `dlogprobs` is right.
# dbndiff2: failed | = You write `d.sin()` where `d` belongs. With that, your `dbndiff2` is right.

def dlogprobs(logprobs, Yb, n):
    d = torch.zeros_like(logprobs)
    d[range(n), Yb] = -1.0 / n
    return d.sin()


def dbndiff2(dbnvar, bndiff2, n):
    d = (1.0 / (n - 1)) * torch.ones_like(bndiff2) * dbnvar
    return d.sin()
