"""Proofs of the keys in questions.toml: each number again, by autograd or by counting."""

import torch


def gradients(function, *values, upstream=1.0):
    leaves = [torch.tensor(float(value), dtype=torch.float64, requires_grad=True) for value in values]
    return torch.autograd.grad(upstream * function(*leaves), leaves)


def sum_of_two(a, b, dy, s):
    return sum(gradients(lambda x, y: x + y, a, b, upstream=dy))


def product_first(a, b, dy):
    return gradients(lambda x, y: x * y, a, b, upstream=dy)[0]


def product_second(a, b, dy):
    return gradients(lambda x, y: x * y, a, b, upstream=dy)[1]


def product_both(a, b, dy, du):
    return gradients(lambda x: dy * x * b + du * 3 * x, a)[0]


def zeros(n, k):
    logprobs = torch.randn(n, k, requires_grad=True)
    labels = torch.arange(n) % k
    (found,) = torch.autograd.grad(-logprobs[range(n), labels].mean(), logprobs)
    return (found == 0).sum()


def gate(h):
    return gradients(torch.tanh, torch.atanh(torch.tensor(h, dtype=torch.float64)))[0]


def saturated_layers(layers, h):
    return gate(h) ** layers
