"""One function of a file has a `return` that is not finished; another one is right.

lesson: 04
as: functions
alone: yes
dlogits: passed
in_one_go: passed
"""
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    g = F.softmax(logits, 1)
    g[range(n), Yb] -= 1
    return g / n


def checked(logits):
    return logits @
