"""Eight gigabytes of ones."""
# group: memory
# rows: error, crashed

import torch


def dlogits(logits):
    torch.empty(1 << 30, dtype=torch.float64).fill_(1)
    print("GOT THROUGH eight gigabytes")
