import constants
import torch
import torch.nn.functional as F


def shifted(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    gradient[torch.arange(n), Yb] -= constants.ONE
    return gradient
