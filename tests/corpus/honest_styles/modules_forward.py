"""Recomputes some of the forward pass with torch.nn, parameters and all."""

import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.linear = nn.Linear(rows, columns, dtype=torch.float64)

    def forward(self, x):
        return self.linear(x)


def dlogits_fused(logits, Yb, n):
    loss = F.cross_entropy(logits, Yb)
    print("loss", loss.item(), nn.CrossEntropyLoss()(logits, Yb))
    return (F.log_softmax(logits, 1).exp() - F.one_hot(Yb, logits.shape[1])) / n


def dW2(dlogits, h):
    model = Head(h.shape[1], dlogits.shape[1])
    model.train()
    for parameter in model.parameters():
        parameter.grad = None
    assert model(h).shape == dlogits.shape
    model.linear.weight.grad = (h.T @ dlogits).T
    return model.linear.weight.grad.T


def dh(dlogits, W2):
    return F.linear(dlogits, W2)
