import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    gradient[torch.arange(n), Yb] -= 1
    return gradient / n


plt.plot([1, 2, 3])
plt.show()
