"""Proofs of the keys in questions.toml: each number again, with PyTorch's own layer or by autograd."""

import torch
import torch.nn.functional as F


def normalised(x):
    return (x - x.mean(0)) / x.var(0).sqrt()


def column(n):
    return torch.randn(n, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def shifted_column(c, n):
    x = column(n)
    return (normalised(x + c) - normalised(x)).abs().max().round(decimals=9)


def scaled_input(c):
    x, upstream = column(9), torch.arange(9.0, dtype=torch.float64)
    slopes = []
    for factor in (1, c):
        leaf = (factor * x).requires_grad_()
        slopes.append(torch.autograd.grad(normalised(leaf), leaf, upstream)[0])
    return slopes[1][0] / slopes[0][0]


def paths(n):
    x = column(n)
    reached = torch.autograd.functional.jacobian(normalised, x)[:, 0]
    return (reached != 0).sum() - 1


def biased_ratio(n):
    x = column(n)
    return x.var() / x.var(unbiased=False)


def running_mean(m, r, b):
    running = torch.tensor([float(r)], dtype=torch.float64)
    batch = torch.tensor([[b - 1.0], [b + 1.0]], dtype=torch.float64)
    F.batch_norm(batch, running, torch.ones(1, dtype=torch.float64), training=True, momentum=m)
    return running[0]
