"""Proofs of the keys in questions.toml: each number again, by running the forward pass or autograd."""

import torch
import torch.nn.functional as F


def logits_for(p):
    return torch.log(torch.tensor([[p, 1 - p]], dtype=torch.float64)).requires_grad_()


def boost(p):
    probs = torch.tensor([p, 1 - p], dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(-probs.log()[0], probs)[0][0]


def boost_fades(p):
    logits = logits_for(p)
    return torch.autograd.grad(F.cross_entropy(logits, torch.tensor([0])), logits)[0][0, 0]


def shifted_softmax(a, b, c):
    logits = torch.tensor([a, b], dtype=torch.float64)
    return ((logits - c).softmax(0) - logits.softmax(0))[1]


def normalised(x):
    return (x - x.mean(0)) / (x.var(0) + 1e-5).sqrt()


def one_example_changes(n, k, m):
    x = torch.randn(n, k, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    other = x.clone()
    other[0, :m] += 3.0
    return (normalised(x) != normalised(other)).sum()


def bessel(n):
    x = torch.randn(n, dtype=torch.float64)
    return (x.var() / x.var(unbiased=False)).sqrt()


def rows_of_embedding(n, b, v, u):
    table = torch.randn(v, 2, requires_grad=True)
    table[torch.arange(n * b) % u].pow(2).sum().backward()
    return (table.grad == 0).all(1).sum()
