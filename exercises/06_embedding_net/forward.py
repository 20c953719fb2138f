"""The whole network: embedding, linear, batch norm, tanh, linear, cross-entropy.

Source: "Becoming a Backprop Ninja: Manual Tensor Backprop", day 13 of the course "Building LLMs from Scratch"; its
names (`emb`, `W`, `b`, `x`, `mean`, `var`, `eps`, `xhat`, `gamma`, `beta`, `out`). `t.name = expression` names a value.
"""

import torch
import torch.nn.functional as F


def inputs(generator, batch=32, block=3, vocabulary=27, embedding=10, hidden=64):
    """Contexts Xb (batch, block) of tokens, the next token of each Yb (batch,), the seven parameters, n and eps."""

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    fan_in = block * embedding
    return {
        "Xb": torch.randint(0, vocabulary, (batch, block), generator=generator),
        "Yb": torch.randint(0, vocabulary, (batch,), generator=generator),
        "C": normal(vocabulary, embedding),
        "W": normal(fan_in, hidden) * (5 / 3) / fan_in**0.5,
        "b": normal(hidden) * 0.1,
        "gamma": normal(hidden) * 0.1 + 1.0,
        "beta": normal(hidden) * 0.1,
        "W2": normal(hidden, vocabulary) * 0.1,
        "b2": normal(vocabulary) * 0.1,
        "n": batch,
        "eps": 1e-5,
    }


def forward(t):
    # embedding: one row of the table for each token
    t.emb = t.C[t.Xb]
    # one step from here to the loss: you may use these values, but the grader gives you none of their gradients
    with t.fused():
        t.embcat = t.emb.view(t.emb.shape[0], -1)
        # linear layer 1
        t.x = t.embcat @ t.W + t.b
        # batch norm
        t.mean = t.x.mean(0)
        t.var = t.x.var(0, unbiased=False)  # biased: divided by n, not by n - 1
        t.xhat = (t.x - t.mean) / torch.sqrt(t.var + t.eps)
        t.out = t.gamma * t.xhat + t.beta
        # non-linearity
        t.h = torch.tanh(t.out)
        # linear layer 2
        t.logits = t.h @ t.W2 + t.b2
        t.probs = F.softmax(t.logits, 1)
    # cross-entropy, the mean over the n examples
    t.loss = F.cross_entropy(t.logits, t.Yb)


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def without_the_last(inputs):
    """The last token and the last class never occur."""
    inputs["Xb"] %= len(inputs["C"]) - 1
    inputs["Yb"] %= len(inputs["C"]) - 1


def nearly_constant(inputs):
    """The variance is about eps.

    With two examples and an ordinary variance, almost no gradient gets through batch norm.
    """
    inputs["W"] *= 0.03
    inputs["b"] *= 0.01  # next to a large mean, float32 rounds away the small differences
