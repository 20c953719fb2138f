"""Proofs of the keys in questions.toml: each number again, with autograd or by counting."""

import torch


def leaf(value):
    return torch.tensor(float(value), dtype=torch.float64, requires_grad=True)


def uses(k, m):
    a = leaf(2)
    b = a * k
    (b + b * m).backward()
    return a.grad


def chain_of_doubles(n):
    a = leaf(1)
    x = a
    for _ in range(n):
        x = x + x
    x.backward()
    return a.grad


def visits(n):
    a = leaf(1)
    x, made = a, {id(a): a}
    for _ in range(n):
        x = x + x
        made[id(x)] = x
    return len(made)


def two_passes(k, m):
    a, b = 0, 0
    for _ in range(2):
        b += m * 1
        a += k * b
    return a


def after_zero(a, b):
    x, y = leaf(a), leaf(b)
    end = x * y
    end.backward(retain_graph=True)
    end.backward(retain_graph=True)
    x.grad = None
    end.backward()
    return y.grad


def copies(n, m, k):
    b = torch.zeros(m, requires_grad=True)
    (torch.zeros(n, m) + b * k).sum().backward()
    return b.grad[0]


def read_often(k, p, q):
    a = torch.zeros(10, requires_grad=True)
    (a[torch.tensor([p, q, p, 0, q, p])] * k).sum().backward()
    return a.grad[p]
