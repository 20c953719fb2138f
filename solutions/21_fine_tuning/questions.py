"""Proofs of the keys in questions.toml: each number again, by autograd or by building the tensors."""

import math

import torch
import torch.nn.functional as F


def gradient(function, *values):
    """The gradients of the function's value at these numbers."""
    leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
    return torch.autograd.grad(function(*leaves), leaves)


def trained_numbers(f, v, r):
    return torch.zeros(f, r).numel() + torch.zeros(r, v).numel()


def scale_of_b(a, r):
    x, A = torch.ones(1, 3, dtype=torch.float64), torch.ones(3, r, dtype=torch.float64)
    (right,) = gradient(lambda B: (x @ A @ B * (a / r)).sum(), [[1.0]] * r)
    (wrong,) = gradient(lambda B: (x @ A @ B).sum(), [[1.0]] * r)
    return float(right[0, 0] / wrong[0, 0])


def share_of_tokens(m, n, p, q):
    return float(torch.cat((torch.full((m,), float(p)), torch.full((n,), float(q)))).mean())


def overweight(m, k, n):
    short, long = gradient(lambda x, y: (x.mean() + y.mean()) / 2, [0.0] * m, [0.0] * n)
    return float(short[0] / long[0])


def soft_scale(s, m, t):
    """With logits near each other, as a high temperature makes them."""
    p = torch.tensor([0.3, 0.1, -0.4], dtype=torch.float64)

    def size(T):
        (found,) = gradient(
            lambda z: T**2 * F.kl_div(F.log_softmax(z / T, 0), F.softmax(p / T, 0), reduction="sum"), [0.0] * 3
        )
        return float(found.norm())

    return round(size(t) / size(s))


def untrained_dpo(b, n):
    logp_w, _ = gradient(lambda w, l: -F.logsigmoid(b * (w - l)).mean(), [0.0] * n, [0.0] * n)
    return float(logp_w[0])


def gain(ratio, advantage):
    return torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)


def clip_up(r, a):
    return float(gradient(lambda ratio: gain(ratio, a), float(r))[0])


def on_policy(a, n, g):
    """One answer of g with n tokens; the others have the gain zero."""
    (found,) = gradient(lambda logp: -gain(logp.exp(), a).mean() / g, [0.0] * n)
    return float(found[0])


def sequence_clip(n, k):
    (found,) = gradient(lambda logp: gain(logp.mean().exp(), 1.0), [math.log(1.5)] * k + [0.0] * (n - k))
    return int((found != 0).sum())
