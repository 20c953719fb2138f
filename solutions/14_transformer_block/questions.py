"""Proofs of the keys in questions.toml: each number again, by autograd or by building the tensors."""

import torch


def through_stack(l, j):
    bottom = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    top = bottom
    for _ in range(l):
        top = top + j * top
    top.backward()
    return bottom.grad


def kept_number(p, g):
    number = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    (torch.tensor(True) * number / (1 - p)).backward(torch.tensor(g, dtype=torch.float64))
    return number.grad


def bias_behind_dropout(n, k, p):
    bias = torch.zeros((), dtype=torch.float64, requires_grad=True)
    keep = torch.arange(n) < k
    ((torch.ones(n) + bias) * keep / (1 - p)).sum().backward()
    return bias.grad


def rms_other_element(m, a, b, r, g):
    x = torch.tensor([float(a), float(b)], dtype=torch.float64, requires_grad=True)
    (x / (x**2).mean() ** 0.5)[0].backward(torch.tensor(g, dtype=torch.float64))
    return x.grad[1]


def parameters(c, s, h):
    shapes = [(c,), (c,), (c, s), (c, s), (c, s), (s, c), (c,), (c, h), (h,), (h, c), (c,)]
    return sum(torch.zeros(shape).numel() for shape in shapes)
