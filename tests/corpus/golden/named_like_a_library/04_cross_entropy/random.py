import torch
import torch.nn.functional as F


def shifted(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    return gradient
