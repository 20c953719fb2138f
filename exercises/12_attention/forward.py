"""Causal self-attention with one head (Vaswani et al. 2017): in small steps, and in one step.

The names and sizes are those of A. Karpathy's lecture "Let's build GPT". `t.name = expression` names a value; your
gradients are with respect to these names.
"""

import math

import torch
import torch.nn.functional as F


def inputs(generator, batch=4, time=8, channels=32, head=16):
    """Three graphs: a head on x (batch, time, channels), a softmax of z, and attention on Q, K and V.

    `past` (time, time) is True where position t (the row) may read position s (the column): at s <= t. `allowed`
    (batch, time, time) is the same for each example; hidden problems also have examples that begin with padding.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    past = torch.ones(time, time, dtype=torch.bool).tril()
    return {
        "x": normal(batch, time, channels),
        "Wq": normal(channels, head) * channels**-0.5,
        "Wk": normal(channels, head) * channels**-0.5,
        "Wv": normal(channels, head) * channels**-0.5,
        "Wo": normal(head, channels) * head**-0.5,
        "past": past,
        "z": normal(batch, time, time),
        "Q": normal(batch, time, head),
        "K": normal(batch, time, head),
        "V": normal(batch, time, head),
        "allowed": past.expand(batch, time, time).clone(),
    }


def masked_softmax(scores, allowed):
    """The softmax of each row over its allowed scores; zeros for the others, and in a row where none is allowed."""
    lowest = torch.finfo(scores.dtype).min
    return F.softmax(scores.masked_fill(~allowed, lowest), -1) * allowed


def attention_weights(Q, K, allowed):
    """The weights of one head: the softmax of its scores."""
    return masked_softmax(Q @ K.transpose(1, 2) / Q.shape[2] ** 0.5, allowed)


def forward(t):
    # one head in small steps; you write a gradient for each line
    t.q = t.x @ t.Wq
    t.k = t.x @ t.Wk
    t.v = t.x @ t.Wv
    t.scores = t.q @ t.k.transpose(1, 2) / t.q.shape[2] ** 0.5
    t.masked = t.scores.masked_fill(~t.past, -math.inf)
    t.exps = t.masked.exp()
    t.total = t.exps.sum(2, keepdim=True)
    t.weights = t.exps / t.total
    t.context = t.weights @ t.v
    t.out = t.context @ t.Wo

    # the softmax of each row alone, in one step
    t.p = masked_softmax(t.z, t.allowed)

    # scores, softmax and weighted sum in one step
    with t.fused():
        t.P = attention_weights(t.Q, t.K, t.allowed)
    t.O = t.P @ t.V


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def one_token_repeated(inputs):
    """The last two positions of every example are equal, and so are their keys and values."""
    for name in ("x", "K", "V"):
        inputs[name][:, -1] = inputs[name][:, -2]


def padded(inputs):
    """The first example begins with a position of padding, which nobody may read: its own row is masked completely."""
    inputs["allowed"][0, :, 0] = False
