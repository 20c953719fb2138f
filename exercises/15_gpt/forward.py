"""A small GPT: token and position embeddings, blocks of attention and MLP, and a head that is the token embedding.

The order "norm first", the learned positions and the tied head are those of GPT-2 (Radford and others 2019). RMSNorm
and linear layers without biases are those of many models after it (LLaMA: Touvron and others 2023).

`t.name = expression` names a value. Parameters of the blocks have a leading axis for the layers: `t.Wq[0]` is the first
block's. A list has a value for each block: `t.x[0]` is what the first block reads, `t.mid[0]` is between its attention
and its MLP, and `t.x[1]` is what the next block reads.
"""

import math

import torch
import torch.nn.functional as F

PARAMETERS = ("wte", "wpe", "gain1", "Wq", "Wk", "Wv", "Wo", "gain2", "W1", "W2", "gain3")
GROUPS = {"parameters": {name: name for name in PARAMETERS}}


def inputs(generator, batch=4, time=8, positions=12, vocabulary=27, heads=2, size=8, hidden=24, layers=3):
    """The parameters and a batch: tokens X (batch, time), and the token after each, Y (batch, time).

    As in a batch of names, each example has a length of its own. After its end, X is 0 and Y is -1: nothing is to be
    predicted there.
    """
    channels = heads * size

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    lengths = torch.randint(1, time + 1, (batch, 1), generator=generator)
    ended = torch.arange(time) >= lengths
    return {
        "wte": normal(vocabulary, channels) * 0.5,
        "wpe": normal(positions, channels) * 0.5,
        "gain1": 1 + normal(layers, channels) * 0.2,
        "Wq": normal(layers, channels, channels) * channels**-0.5 * 2,
        "Wk": normal(layers, channels, channels) * channels**-0.5,
        "Wv": normal(layers, channels, channels) * channels**-0.5,
        "Wo": normal(layers, channels, channels) * channels**-0.5,
        "gain2": 1 + normal(layers, channels) * 0.2,
        "W1": normal(layers, channels, hidden) * channels**-0.5,
        "W2": normal(layers, hidden, channels) * hidden**-0.5,
        "gain3": 1 + normal(channels) * 0.2,
        "X": torch.randint(0, vocabulary, (batch, time), generator=generator).masked_fill(ended, 0),
        "Y": torch.randint(0, vocabulary, (batch, time), generator=generator).masked_fill(ended, -1),
        "heads": heads,
    }


def rms_norm(x, gain):
    return gain * x * (x.square().mean(-1, keepdim=True) + 1e-5) ** -0.5


def attention(x, Wq, Wk, Wv, heads):
    """The contexts of all heads, next to each other: (batch, time, channels)."""
    past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    q, k, v = ((x @ W).unflatten(2, (heads, -1)).transpose(1, 2) for W in (Wq, Wk, Wv))
    scores = (q @ k.transpose(2, 3) / q.shape[3] ** 0.5).masked_fill(~past, -math.inf)
    return (F.softmax(scores, 3) @ v).transpose(1, 2).flatten(2)


def forward(t):
    t.normed, t.contexts, t.mid, t.scaled, t.act = [], [], [], [], []
    # token and position embeddings
    t.x = [t.wte[t.X] + t.wpe[: t.X.shape[1]]]
    for layer in range(t.gain1.shape[0]):
        # attention, with a norm before it and a residual connection around it
        t.normed.append(rms_norm(t.x[layer], t.gain1[layer]))
        t.contexts.append(attention(t.normed[layer], t.Wq[layer], t.Wk[layer], t.Wv[layer], t.heads))
        t.mid.append(t.x[layer] + t.contexts[layer] @ t.Wo[layer])
        # MLP, likewise
        t.scaled.append(rms_norm(t.mid[layer], t.gain2[layer]))
        t.act.append(F.gelu(t.scaled[layer] @ t.W1[layer]))
        t.x.append(t.mid[layer] + t.act[layer] @ t.W2[layer])
    t.final = rms_norm(t.x[-1], t.gain3)
    # the head is tied: its weight is the token embedding
    t.logits = t.final @ t.wte.T
    # cross-entropy, the mean over all positions whose next token is known
    t.loss = F.cross_entropy(t.logits.flatten(0, 1), t.Y.flatten(), ignore_index=-1)


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def all_positions(inputs):
    """Every position has a next token."""
    inputs["Y"] = inputs["Y"].clamp(min=0)


def few_tokens(inputs):
    """Only two tokens are read, and two others come next: each row of wte gets only one of its two terms, or none."""
    inputs["X"] = inputs["X"] % 2 + 2
    inputs["Y"] = torch.where(inputs["Y"] < 0, inputs["Y"], inputs["Y"] % 2)  # 0 is a token like any other


def tiny(inputs):
    """Embeddings so small that the epsilon matters in every norm."""
    for name in ("wte", "wpe"):
        inputs[name] = inputs[name] * 0.006
    inputs["Wo"] = inputs["Wo"] * 0.005
    inputs["W2"] = inputs["W2"] * 0.005


def sure_heads(inputs):
    """Queries so large that nearly all of a row's weight is on one position."""
    inputs["Wq"] = inputs["Wq"] * 40
