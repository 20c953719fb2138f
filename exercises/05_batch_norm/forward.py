"""Batch norm as one step, twice: with an unbiased variance as in the lecture, and with a biased one.

Sources: A. Karpathy, "Building makemore Part 4: Becoming a Backprop Ninja", exercise 3; and "Day 13: Becoming a
Backprop Ninja" of the course "Building LLMs from Scratch".
`t.name = expression` names a value; your gradients are with respect to these names. What stands inside `t.fused()` you
may ask for, but it is one step with what follows: no gradient stops there.
"""

import torch


def inputs(generator, batch=32, hidden=64, biased_batch=4, biased_hidden=20):
    """Two networks' values before batch norm, with a gain and a bias each: hprebn (n, hidden), h (N, biased_hidden)."""

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    return {
        "hprebn": normal(batch, hidden) * (5 / 3) + normal(1, hidden) * 0.1,
        "bngain": normal(1, hidden) * 0.1 + 1.0,
        "bnbias": normal(1, hidden) * 0.1,
        "n": batch,
        "h": normal(biased_batch, biased_hidden) * 10**0.5 + normal(biased_hidden),
        "gamma": normal(biased_hidden) * 0.1 + 1.0,
        "beta": normal(biased_hidden) * 0.1,
        "N": biased_batch,
    }


def forward(t):
    # the lecture's batch norm
    with t.fused():
        t.bnmeani = 1 / t.n * t.hprebn.sum(0, keepdim=True)
        t.bndiff = t.hprebn - t.bnmeani
        t.bnvar = 1 / (t.n - 1) * (t.bndiff**2).sum(0, keepdim=True)  # Bessel's correction: n - 1
        t.bnvar_inv = (t.bnvar + 1e-5) ** -0.5
        t.bnraw = t.bndiff * t.bnvar_inv
    t.hpreact = t.bngain * t.bnraw + t.bnbias

    # the same with a biased variance
    with t.fused():
        t.h_mean = t.h.mean(0)
        t.h_var = t.h.var(0, unbiased=False)  # divided by N
        t.h_norm = (t.h - t.h_mean) / (t.h_var + 1e-5).sqrt()
    t.h_bn = t.gamma * t.h_norm + t.beta
