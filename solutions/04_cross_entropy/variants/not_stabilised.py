"""The softmax written out, without subtracting the row maximum: right as long as exp does not overflow."""

import torch


def dlogits(logits, Yb):
    exponentials = torch.exp(logits)
    dlogits = exponentials / exponentials.sum(dim=1, keepdim=True)
    dlogits[torch.arange(Yb.numel()), Yb] -= 1.0
    dlogits /= Yb.numel()
    return dlogits
