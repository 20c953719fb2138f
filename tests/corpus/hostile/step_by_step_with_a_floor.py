"""Step by step with probabilities kept above the smallest number: no NaN, and the wrong value where one is 0."""
# group: what a worker says of itself
# rows: passed
# rows of in_one_go: failed
# message: is exactly 0. Your `dlogits` is wrong there
# unlocked: safe

import torch


def dlogits(probs, Yb, n):
    dlogprobs = torch.zeros_like(probs)
    dlogprobs[range(n), Yb] = -1 / n
    dprobs = dlogprobs / probs.clamp(min=1e-300)
    return probs * (dprobs - (dprobs * probs).sum(1, keepdim=True))
