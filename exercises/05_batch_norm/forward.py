"""Three batch norms: a single step with an unbiased variance, one with a biased variance, and the latter by its parts.

Sources: A. Karpathy, "Building makemore Part 4: Becoming a Backprop Ninja", exercise 3; and "Day 13: Becoming a
Backprop Ninja" of the course "Building LLMs from Scratch", the notebook and the page.
`t.name = expression` names a value; your gradients are with respect to these names. The lines inside
`with t.fused()` belong to one step with the line after them: you may use their values, but you return no gradients.
"""

import torch


def inputs(generator, batch=32, hidden=64, biased_batch=4, biased_hidden=20, parts_batch=6, parts_hidden=5):
    """For each of the three batch norms, the values that go into it, a gain and a bias.

    hprebn is (n, hidden), h is (N, biased_hidden), x is (parts_batch, parts_hidden).
    """

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
        "x": normal(parts_batch, parts_hidden) * 1.5 + normal(parts_hidden),
        "scale": normal(parts_hidden) * 0.1 + 1.0,
        "shift": normal(parts_hidden) * 0.1,
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

    # the biased one again, by its parts: here every line is a step of its own
    t.mean = t.x.mean(0)
    t.var = t.x.var(0, unbiased=False)
    t.xhat = (t.x - t.mean) / torch.sqrt(t.var + 1e-5)
    t.out = t.scale * t.xhat + t.shift
