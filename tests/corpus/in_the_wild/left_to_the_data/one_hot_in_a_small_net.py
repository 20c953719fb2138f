"""The same in the small net, subtracted in place.

lesson: 02
dlogits: error | The number of classes is left to the data: as many as `Y` needs
"""

import torch
import torch.nn.functional as F


def dlogits(logits, Y, N):
    d = torch.softmax(logits, dim=-1)
    d -= F.one_hot(Y)
    return d / N
