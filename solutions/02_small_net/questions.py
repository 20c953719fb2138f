"""Proofs of the keys in questions.toml: each number again, by autograd."""

import torch
import torch.nn.functional as F


def one_number(y0, y1, y2, b0, b1, b2, c1):
    a = torch.zeros(1, 2, requires_grad=True)
    b = torch.tensor([[b0, b1, b2], [c1, 0.0, 0.0]])
    (a @ b).backward(torch.tensor([[float(y0), y1, y2]]))
    return a.grad[0, 0]


def row_sums(n, k):
    logits = torch.randn(n, k, dtype=torch.float64, requires_grad=True)
    F.cross_entropy(logits, torch.arange(n) % k).backward()
    return logits.grad[0].sum().round(decimals=12) + 0.0
