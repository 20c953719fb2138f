"""Everything is still to be written; the bias is zeros, and those are right.

lesson: 06
alone: yes
db: failed | = The true `db` is zero here, so zeros are right without any work. Its points come with those of `dW`, which
    is computed from the same upstream gradient and is not right yet.
cmp: missing
cmp_shapes: missing
compare_all: missing
others: todo
"""

import torch


def backward(b):
    names = ("dW2", "db2", "dgamma", "dbeta", "dW", "db", "demb", "dC")
    return {name: torch.zeros_like(b) if name == "db" else None for name in names}
