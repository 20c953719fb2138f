"""Every gradient is zeros of the right shape.

lesson: 06
alone: yes
db: failed | = The true `db` is zero here, so zeros are right without any work. Its points come with those of `dW`, which
    is computed from the same upstream gradient and is not right yet.
cmp: missing
cmp_shapes: missing
compare_all: missing
others: failed
"""

import torch


def backward(W2, b2, gamma, beta, W, b, emb, C):
    return tuple(torch.zeros_like(value) for value in (W2, b2, gamma, beta, W, b, emb, C))
