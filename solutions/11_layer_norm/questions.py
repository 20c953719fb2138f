"""Proofs of the keys in questions.toml: each number again, with PyTorch's own layers and autograd."""

import torch
import torch.nn.functional as F


def drawn(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


def gradient_of(x, upstream, eps=1e-5):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(F.layer_norm(leaf, x.shape[-1:], eps=eps), leaf, upstream)[0]


def mean_shape(b, t, f):
    return drawn(b, t, f).mean(-1, keepdim=True).shape


def gain_shape(b, t, f):
    gain = torch.ones(f, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(F.layer_norm(drawn(b, t, f), (f,), gain).sum(), gain)[0].shape


def who_changes(b, f):
    x = drawn(b, f)
    other = x.clone()
    other[0, 0] += 3
    changed = [
        (norm(x) != norm(other)).sum()
        for norm in (lambda y: F.layer_norm(y, (f,)), lambda y: F.batch_norm(y, None, None, training=True))
    ]
    return changed[0] - changed[1]


def sum_of_dx(f):
    return gradient_of(drawn(f), drawn(f).flip(0)).sum().round(decimals=9) + 0.0


def ten_times_x(c):
    x, upstream = drawn(9), drawn(9).flip(0)
    return gradient_of(c * x, upstream, 0.0)[0] / gradient_of(x, upstream, 0.0)[0]


def equal_features(e):
    upstream = torch.tensor([1.0, -1.0], dtype=torch.float64)
    return gradient_of(torch.ones(2, dtype=torch.float64), upstream, e)[0]
