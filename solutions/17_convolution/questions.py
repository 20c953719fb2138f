"""Proofs of the keys in questions.toml: each number again, by counting or by autograd."""

import torch
import torch.nn.functional as F


def reads(n, k, s, p=0):
    """How many windows read each place of an axis."""
    x = torch.zeros(1, 1, n, dtype=torch.float64, requires_grad=True)
    y = F.conv1d(x, torch.ones(1, 1, k, dtype=torch.float64), stride=s, padding=p)
    return torch.autograd.grad(y.sum(), x)[0][0, 0]


def how_many_windows(n, k, s, p):
    return F.conv1d(torch.zeros(1, 1, n), torch.zeros(1, 1, k), stride=s, padding=p).numel()


def left_over(n, k, s):
    return (reads(n, k, s) == 0).sum()


def windows_of_a_place(k, s):
    return reads(20 * k * s, k, s)[k * s : 10 * k * s].mean()


def same_size(h, k):
    return next(p for p in range(k) if how_many_windows(40, k, 1, p) == 40)


def shared_kernel(n, o):
    w = torch.zeros(1, 1, 3, dtype=torch.float64, requires_grad=True)
    y = F.conv1d(torch.ones(n, 1, o + 2, dtype=torch.float64), w)
    return torch.autograd.grad(y.sum(), w)[0][0, 0, 0]


def mean_share(r, c, g):
    photo = torch.zeros(1, 1, 2 * r, 2 * c, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(g * F.avg_pool2d(photo, (r, c)).sum(), photo)[0][0, 0, 0, 0]


def tied_total(t, g, m):
    window = torch.zeros(3, 3, dtype=torch.float64)
    window.view(-1)[:t] = 1
    picture = window.repeat(1, m)[None, None].requires_grad_()
    return torch.autograd.grad(g * F.max_pool2d(picture, 3).sum(), picture)[0].sum()


def how_many_max(r, q, m):
    picture = torch.rand(1, 1, m, m, generator=torch.Generator().manual_seed(0)).double().requires_grad_()
    return (torch.autograd.grad(F.max_pool2d(picture, r).sum(), picture)[0] != 0).sum()
