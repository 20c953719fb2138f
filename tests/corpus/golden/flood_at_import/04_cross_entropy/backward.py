import torch
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    gradient[torch.arange(n), Yb] -= 1
    return gradient / n


text = "x" * 1_000_000
for _ in range(200):
    print(text)
