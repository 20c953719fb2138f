"""db from da: dz is skipped, and da is used.

lesson: 01
db: passed | = Right, but it skips a step: it is computed from gradients further up than the next one.
"""


def db(da, z):
    return (da * (1 - torch.tanh(z) ** 2)).sum(0)
