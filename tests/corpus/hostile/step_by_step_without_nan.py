"""Step by step, with 0 in place of what is not a number: finite everywhere, and wrong where a probability is 0."""
# group: what a worker says of itself
# rows: passed
# rows of in_one_go: failed
# message: is exactly 0. Your `dlogits` is wrong there
# unlocked: safe

import torch


def dlogits(probs, Yb, n):
    dlogprobs = torch.zeros_like(probs)
    dlogprobs[range(n), Yb] = -1 / n
    dprobs = dlogprobs / probs
    gradient = probs * (dprobs - (dprobs * probs).sum(1, keepdim=True))
    return gradient.nan_to_num(0.0, 0.0, 0.0)
