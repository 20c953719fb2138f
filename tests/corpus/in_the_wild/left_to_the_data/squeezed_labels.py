"""squeeze() without an axis takes away the batch as well, where it is a single row.

lesson: 04
dlogits: error
others: any
"""

import torch


def dlogits(logits, Yb, n):
    positive = torch.softmax(logits, 1).squeeze()
    for row, label in zip(positive, Yb):
        row[label] -= 1
    return positive.view(logits.shape) / n
