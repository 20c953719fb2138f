"""Layer normalisation over the last axis (Ba, Kiros, Hinton 2016), twice: in small steps, and as a single step.

`t.name = expression` names a value; your gradients are with respect to these names.
"""

import torch


def inputs(generator, batch=4, time=8, features=32):
    """Two independent layer norms: h (batch, time, features) with gain and bias, and x with scale and shift."""
    return {
        "h": 0.5 + 2 * torch.randn(batch, time, features, generator=generator),
        "gain": 1 + 0.5 * torch.randn(features, generator=generator),
        "bias": 0.1 * torch.randn(features, generator=generator),
        "x": 0.5 + 2 * torch.randn(batch, time, features, generator=generator),
        "scale": 1 + 0.5 * torch.randn(features, generator=generator),
        "shift": 0.1 * torch.randn(features, generator=generator),
    }


def forward(t):
    # in small steps; you write a gradient for each line
    t.mean = t.h.mean(-1, keepdim=True)
    t.diff = t.h - t.mean
    t.var = (t.diff**2).mean(-1, keepdim=True)
    t.inv_std = (t.var + 1e-5) ** -0.5
    t.norm = t.diff * t.inv_std
    t.out = t.gain * t.norm + t.bias

    # the same as a single step, with other numbers
    with t.fused():
        t.mu = t.x.mean(-1, keepdim=True)
        t.rstd = (t.x.var(-1, keepdim=True, unbiased=False) + 1e-5) ** -0.5
        t.xhat = (t.x - t.mu) * t.rstd
    t.y = t.scale * t.xhat + t.shift
