"""Functions of two lessons in one Python file, one of which is not finished: the others count.

lesson: 04
as: script
alone: yes
counts: 03 04
dlogits, in_one_go: passed
"""
import torch.nn.functional as F


def dlogprobs(logprobs, Yb, n):
    return F.one_hot(Yb, logprobs.shape[1]) * -1.0 /


def dlogits(logits, Yb, n):
    g = F.softmax(logits, 1)
    g[range(n), Yb] -= 1
    return g / n
