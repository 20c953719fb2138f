"""The one-hot tensor is not transposed: the message is about shapes, not about dtypes.

lesson: 03
dC: error | = RuntimeError: mat1 and mat2 shapes cannot be multiplied (12x11 and 12x4). In `onehot @
    demb.view(-1, C.shape[1])`, a transpose is missing, one too many, or in the wrong place. In the right form,
    your `dC` is right. Write the shapes next to each other: over which axis should the product sum?
"""

import torch
import torch.nn.functional as F


def dC(demb, C, Xb):
    onehot = F.one_hot(Xb.view(-1), C.shape[0]).float()
    return onehot @ demb.view(-1, C.shape[1])
