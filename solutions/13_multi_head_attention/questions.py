"""Proofs of the keys in questions.toml: each number again, by building the tensors."""

import torch


def terms_of_group(g, m, h):
    group = torch.zeros(1, g, 1, 1, requires_grad=True)
    group.repeat_interleave(h // g, 1).sum().backward()
    return group.grad[0, 0, 0, 0]


def scores(heads, size, time):
    return torch.zeros(heads, time, size) @ torch.zeros(heads, size, time)


def scores_count(h, s, w, t):
    return scores(h, s, t).numel() - scores(1, w, t).numel()


def multiplications(h, s, w):
    return scores(h, s, 3).numel() * s / (scores(1, w, 3).numel() * w)


def switched_off(h, m, s):
    merged = torch.ones(3, h * s)
    merged[:, :s] = 0
    weight = torch.zeros(h * s, 2, requires_grad=True)
    (merged @ weight).sum().backward()
    return (weight.grad != 0).any(1).sum()
