"""Proofs of the keys in questions.toml: each number again, by counting or by autograd."""

import torch


def past(t):
    return torch.ones(t, t).tril() > 0


def terms_of_value(t, s):
    return past(t)[:, s - 1].sum()


def reads_how_many(t):
    return past(t).sum()


def sure_head(t, g):
    scores = torch.full((t,), -1e4, dtype=torch.float64)
    scores[0] = 1e4
    scores.requires_grad_()
    return torch.autograd.grad(g * scores.softmax(0)[0], scores)[0][0]


def score_scale(r, h):
    covariance = torch.eye(h)  # of h products of independent features with variance 1
    return covariance.sum() ** 0.5
