"""Only the tokens that occur get a row.

lesson: 03
dC: shape | The number of classes is left to the data
"""

import torch


def dC(demb, C, Xb):
    occurring, place = torch.unique(Xb, return_inverse=True)
    table = torch.zeros(len(occurring), C.shape[1])
    return table.index_add_(0, place.view(-1), demb.reshape(-1, C.shape[1]))
