"""Proofs of the keys in questions.toml: each number again, by autograd or by building the tensors."""

import torch


def number(value):
    return torch.tensor(float(value), dtype=torch.float64, requires_grad=True)


def rotated_pair(c, s, g):
    b = number(1)
    (number(1) * c - b * s).backward(torch.tensor(g, dtype=torch.float64))
    return b.grad


def partner(d, i, h):
    features = torch.arange(d)
    first, second = features.chunk(2)
    pairs = torch.stack((first, second), 1)
    own = pairs[(pairs == i).any(1)][0]
    return own[own != i][0]


def swiglu_parameters(c, u, m):
    plain = torch.zeros(c, m).numel() + torch.zeros(m, c).numel()
    return plain / (3 * c)


def share_slope(p, q, g):
    p, q = number(p), number(q)
    (p / (p + q)).backward(torch.tensor(g, dtype=torch.float64))
    return q.grad


def balance_slope(e, n, w):
    probs = torch.full((n, e), 1 / e, dtype=torch.float64, requires_grad=True)
    load = torch.full((e,), (1 - w / 100) / (e - 1), dtype=torch.float64)
    load[0] = w / 100
    (e * (load * probs.mean(0)).sum()).backward()
    return probs.grad[0, 0]


def sum_of_dlogits(n, p, z):
    logits = torch.zeros(n, 5, dtype=torch.float64)
    logits += z - logits.logsumexp(1, keepdim=True)
    logits.requires_grad_()
    loss = torch.nn.functional.cross_entropy(logits, torch.zeros(n, dtype=torch.long))
    (loss + p * (logits.logsumexp(1) ** 2).mean()).backward()
    return logits.grad[0].sum()
