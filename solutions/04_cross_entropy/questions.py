"""Proofs of the keys in questions.toml: each number again, by autograd."""

import torch
import torch.nn.functional as F


def slopes(probs, label, n=1):
    """The gradient of one example's logits, of a batch of n equal examples."""
    logits = torch.tensor(probs, dtype=torch.float64).log().expand(n, -1).clone().requires_grad_()
    return torch.autograd.grad(F.cross_entropy(logits, torch.full((n,), label)), logits)[0][0]


def true_class(p):
    return slopes([p, 1 - p], 0)[0]


def wrong_class(p, n):
    return slopes([p, 1 - p], 1, n)[0]


def clueless(k):
    found = slopes([1 / k] * k, 0)
    return -found[0] / found[1]


def clueless_loss(k):
    return F.cross_entropy(torch.zeros(1, k, dtype=torch.float64), torch.tensor([0]))
