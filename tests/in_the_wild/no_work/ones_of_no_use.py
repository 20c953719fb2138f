"""Ones that are not summed, where a sum over the batch belongs.

lesson: 03
dlogit_maxes: failed | Every element of your `dlogit_maxes` is -1, whatever the upstream gradient is
db1: failed | Every element of your `db1` is 1, whatever the upstream gradient is
others: passed
"""


def dlogit_maxes(dnorm_logits):
    return -torch.ones(dnorm_logits.shape[0], 1)


def db1(dhprebn):
    return torch.ones(dhprebn.shape[1])
