import torch
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    gradient[torch.arange(n), Yb] -= 1
    return gradient / n


print(1 / 0)
