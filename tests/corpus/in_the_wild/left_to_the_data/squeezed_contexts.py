"""squeeze() without an axis takes away the axis of places, where a context is a single token.

lesson: 03
dC: error
"""

import torch


def dC(demb, C, Xb):
    table = torch.zeros_like(C)
    rows, values = Xb.squeeze(), demb.squeeze()
    for example in range(rows.shape[0]):
        for place in range(rows.shape[1]):
            table[rows[example, place]] += values[example, place]
    return table
