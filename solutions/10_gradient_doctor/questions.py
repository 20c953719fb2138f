"""Proofs of the keys in questions.toml: each number again, by autograd or step by step."""

import torch


def through_layers(f, n):
    norm = 1.0
    for _ in range(n):
        norm *= f
    return norm


def growth(g, n, b, a):
    return (a / b) ** (1 / (n - 1))


def gate_at(h):
    z = torch.atanh(torch.tensor(h, dtype=torch.float64)).requires_grad_()
    return 100 * torch.autograd.grad(torch.tanh(z), z)[0]


def mean_or_max(n, c):
    return torch.tensor([float(c)] + [0.0] * (n - 1)).mean()


def not_zeroed(n):
    weight = torch.ones(3, requires_grad=True)
    norms = []
    for _ in range(n):
        (weight * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
        norms.append(weight.grad.norm().item())
    return round(100 * (norms[-1] / norms[0] - 1), 3)


def ratio(p, g, r):
    parameter, gradient = torch.zeros(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
    parameter[0], gradient[1] = p, g
    return (r * gradient).norm() / parameter.norm()
