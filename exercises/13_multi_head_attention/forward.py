"""Causal attention with several heads, where groups of query heads share a key and a value (Ainslie and others 2023).

`t.name = expression` names a value; your gradients are with respect to these names. With as many groups as heads this
is the attention of "Attention Is All You Need" (Vaswani and others 2017); with one group it is multi-query attention.
"""

import math

import torch
import torch.nn.functional as F


def inputs(generator, batch=2, time=8, channels=32, heads=4, groups=2, size=6):
    """x (batch, time, channels), the weights, and the numbers of query heads and of groups, each of `size` features.

    `past` (time, time) is True where position t (the row) may read position s (the column): at s <= t.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    return {
        "x": normal(batch, time, channels),
        "Wq": normal(channels, heads * size) * channels**-0.5,
        "Wk": normal(channels, groups * size) * channels**-0.5,
        "Wv": normal(channels, groups * size) * channels**-0.5,
        "Wo": normal(heads * size, channels) * (heads * size) ** -0.5,
        "past": torch.ones(time, time, dtype=torch.bool).tril(),
        "heads": heads,
        "groups": groups,
    }


def forward(t):
    t.q = t.x @ t.Wq
    t.k = t.x @ t.Wk
    t.v = t.x @ t.Wv
    # (batch, time, heads * size) -> (batch, heads, time, size)
    t.qh = t.q.unflatten(2, (t.heads, -1)).transpose(1, 2)
    t.kh = t.k.unflatten(2, (t.groups, -1)).transpose(1, 2)
    t.vh = t.v.unflatten(2, (t.groups, -1)).transpose(1, 2)
    # the heads 0, 1 ... of a group read the same key and value
    t.keys = t.kh.repeat_interleave(t.heads // t.groups, 1)
    t.values = t.vh.repeat_interleave(t.heads // t.groups, 1)
    t.scores = t.qh @ t.keys.mT / t.qh.shape[3] ** 0.5
    t.weights = F.softmax(t.scores.masked_fill(~t.past, -math.inf), 3)
    t.contexts = t.weights @ t.values
    # (batch, heads, time, size) -> (batch, time, heads * size)
    t.merged = t.contexts.transpose(1, 2).flatten(2)
    t.out = t.merged @ t.Wo


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def one_token_repeated(inputs):
    """The last two positions of every example are equal."""
    inputs["x"][:, -1] = inputs["x"][:, -2]
