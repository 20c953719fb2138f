"""One block of a transformer: attention and an MLP, each with a norm before it and a residual connection around it.

The order "norm first" is that of GPT-2 (Radford and others 2019). Most models use one kind of norm. Here the attention
has a layer norm (Ba and others 2016) and the MLP an RMSNorm (Zhang and Sennrich 2019), so that you meet both.
`t.name = expression` names a value.
"""

import math

import torch
import torch.nn.functional as F


def inputs(generator, batch=4, time=8, channels=32, size=16, hidden=64, p=0.25):
    """x (batch, time, channels), the parameters, two masks, and `dout`, which the rest of the model sends back.

    `past` (time, time) is True where position t (the row) may read position s (the column). `keep1` and `keep2` (batch,
    time, channels) are True where dropout keeps a number, which happens with probability 1 - p.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    def mask():
        return torch.rand((batch, time, channels), generator=generator) >= p

    return {
        "x": normal(batch, time, channels),
        "gain": 1 + normal(channels) * 0.2,
        "bias": normal(channels) * 0.2,
        "Wq": normal(channels, size) * channels**-0.5,
        "Wk": normal(channels, size) * channels**-0.5,
        "Wv": normal(channels, size) * channels**-0.5,
        "Wo": normal(size, channels) * size**-0.5,
        "gain2": 1 + normal(channels) * 0.2,
        "W1": normal(channels, hidden) * channels**-0.5,
        "b1": normal(hidden) * 0.2,
        "W2": normal(hidden, channels) * hidden**-0.5,
        "b2": normal(channels) * 0.2,
        "past": torch.ones(time, time, dtype=torch.bool).tril(),
        "keep1": mask(),
        "keep2": mask(),
        "dout": normal(batch, time, channels),
        "p": p,
        "eps": 1e-5,
    }


def forward(t):
    # layer norm
    t.mean = t.x.mean(2, keepdim=True)
    t.rstd = (t.x.var(2, keepdim=True, unbiased=False) + t.eps) ** -0.5
    t.xhat = (t.x - t.mean) * t.rstd
    t.normed = t.gain * t.xhat + t.bias
    # attention with one head
    t.q = t.normed @ t.Wq
    t.k = t.normed @ t.Wk
    t.v = t.normed @ t.Wv
    t.scores = t.q @ t.k.transpose(1, 2) / t.q.shape[2] ** 0.5
    t.weights = F.softmax(t.scores.masked_fill(~t.past, -math.inf), 2)
    t.context = t.weights @ t.v
    # dropout, and the first residual connection
    t.mid = t.x + (t.context @ t.Wo) * t.keep1 / (1 - t.p)
    # RMSNorm
    t.rrms = ((t.mid**2).mean(2, keepdim=True) + t.eps) ** -0.5
    t.scaled = t.gain2 * t.mid * t.rrms
    # MLP
    t.pre = t.scaled @ t.W1 + t.b1
    t.act = F.gelu(t.pre)
    # dropout, and the second residual connection
    t.out = t.mid + (t.act @ t.W2 + t.b2) * t.keep2 / (1 - t.p)
    # the rest of the model: its gradient with respect to `out` is `dout`
    t.loss = (t.out * t.dout).sum()


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def nothing_dropped(inputs):
    """As in evaluation: dropout is off."""
    inputs["p"] = 0.0
    inputs["keep1"][:] = True
    inputs["keep2"][:] = True


def small(inputs):
    """Numbers so small that eps matters in both norms."""
    inputs["x"] *= 0.003
    inputs["Wo"] *= 0.003


def branches_dropped(inputs):
    """In the first example dropout leaves nothing of the attention, in the second nothing of the MLP."""
    inputs["keep1"][0] = False
    inputs["keep2"][1 % len(inputs["keep2"])] = False
