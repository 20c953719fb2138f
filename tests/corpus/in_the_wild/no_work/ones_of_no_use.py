"""Ones that are not summed, where a sum over the batch belongs.

lesson: 03
dlogit_maxes: failed | When `dnorm_logits` is multiplied by −2, `dlogit_maxes` must be multiplied by −2, too
db1: failed | When `dhprebn` is multiplied by −2, `db1` must be multiplied by −2, too
others: passed
"""


def dlogit_maxes(dnorm_logits):
    return -torch.ones(dnorm_logits.shape[0], 1)


def db1(dhprebn):
    return torch.ones(dhprebn.shape[1])
