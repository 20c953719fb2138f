"""Proofs of the keys in questions.toml: each number again, by counting, by autograd or by running the steps."""

import torch


def known_positions(a, b):
    Y = torch.full((2, 12), -1)
    for row, letters in enumerate((a, b)):
        Y[row, :letters] = 5
        Y[row, letters] = 0
    return (Y >= 0).sum()


def rows_with_both(v, u):
    read = torch.zeros(v, dtype=torch.bool)
    read[:u] = True
    return (~read).sum()


def tied_toy(a, w):
    weight = torch.tensor(float(w), dtype=torch.float64, requires_grad=True)
    h = weight * a
    return torch.autograd.grad(weight * h, weight)[0]


def clip_factor(a, b, c):
    return 1 / torch.tensor([a, b, c], dtype=torch.float64).norm()


def averages(gradients):
    mean = square = 0.0
    for gradient in gradients:
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
    return mean, square


def first_step(p, g, r):
    mean, square = averages([-g])
    return p - r * (mean / 0.1) / (square / 0.01) ** 0.5


def mean_after(g, n):
    return averages([g] * n)[0]


def decay_alone(p, r):
    return p - r * 0.1 * p
