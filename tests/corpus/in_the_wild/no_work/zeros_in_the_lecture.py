"""In the lecture's notebook, with random upstream gradients, neither of the two is zero.

lesson: 03
db1: failed
dlogit_maxes: failed
"""


def db1(b1):
    return torch.zeros_like(b1)


def dlogit_maxes(logit_maxes):
    return torch.zeros_like(logit_maxes)
