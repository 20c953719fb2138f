"""An object that is equal to everything and claims to be a tensor."""
# group: lying answers
# rows: shape, error, crashed
# unlocked: safe

import torch


class Equal:
    __class__ = torch.Tensor
    shape = torch.Size([32, 27])
    dtype = torch.float64

    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return lambda *arguments, **keywords: self

    __hash__ = None


def dlogits(logits):
    return Equal()
