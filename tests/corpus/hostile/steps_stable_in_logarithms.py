"""Honest: two steps through `logprobs`, which divide by nothing, with forty operators more than needed."""
# group: what a worker says of itself
# rows: passed
# rows of in_one_go: passed
# unlocked: safe

import torch


def dlogits(logits, Yb, n):
    for _ in range(40):
        torch.ones(3).sum()
    logprobs = logits - logits.logsumexp(1, keepdim=True)
    dlogprobs = torch.zeros_like(logits)
    dlogprobs[range(n), Yb] = -1 / n
    return dlogprobs - logprobs.exp() * dlogprobs.sum(1, keepdim=True)
