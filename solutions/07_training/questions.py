"""Proofs of the keys in questions.toml: each number again, by running the step or by counting."""

import torch


def one_step(p, g, r):
    parameter = torch.tensor([float(p)], dtype=torch.float64, requires_grad=True)
    parameter.grad = torch.tensor([float(g)], dtype=torch.float64)
    torch.optim.SGD([parameter], lr=r).step()
    return parameter.detach()[0]


def predicted_fall(a, b, r):
    slopes = torch.tensor([a, b], dtype=torch.float64)
    return -(slopes @ (-r * slopes))


def schedule(m, s):
    return sum(step < m / 2 for step in range(s, m))


def sum_loss(n, r):
    errors = torch.arange(1.0, n + 1, dtype=torch.float64, requires_grad=True)
    of_mean = torch.autograd.grad(errors.mean(), errors)[0]
    of_sum = torch.autograd.grad(errors.sum(), errors)[0]
    return r * of_mean[0] / of_sum[0]


def untrained_names(k):
    end = 1 / k
    return sum((place - 1) * end * (1 - end) ** (place - 1) for place in range(1, 40 * k))
