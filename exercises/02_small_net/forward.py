"""A small but complete network: linear, batch norm, linear, cross-entropy.

Source: "Day 13: Becoming a Backprop Ninja", the notebook of the course "Building LLMs from Scratch".
`t.name = expression` names a value; your gradients are with respect to these names.
"""

import torch
import torch.nn.functional as F


def inputs(generator, batch=4, features=10, hidden=20, classes=5):
    """Examples X (batch, features) with their classes Y (batch,), the parameters, and N, the number of examples.

    The notebook starts with gamma at ones and beta at zeros. Here both are drawn near these values: with ones, a
    formula that forgets gamma would look right.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    return {
        "X": normal(batch, features),
        "Y": torch.randint(0, classes, (batch,), generator=generator),
        "W": normal(features, hidden),
        "b": normal(hidden),
        "gamma": normal(hidden) * 0.1 + 1.0,
        "beta": normal(hidden) * 0.1,
        "W2": normal(hidden, classes),
        "b2": normal(classes),
        "N": batch,
    }


def forward(t):
    # linear layer 1
    t.h = t.X @ t.W + t.b
    # batch norm; the mean and the variance belong to the same step as h_norm
    with t.fused():
        t.h_mean = t.h.mean(0)
        t.h_var = t.h.var(0, unbiased=False)  # biased: divided by N, not by N - 1
    t.h_norm = (t.h - t.h_mean) / (t.h_var + 1e-5).sqrt()
    t.h_bn = t.gamma * t.h_norm + t.beta
    # linear layer 2
    t.logits = t.h_bn @ t.W2 + t.b2
    # cross-entropy, the mean over the N examples
    t.loss = F.cross_entropy(t.logits, t.Y)


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def without_the_last(inputs):
    """The last class never occurs."""
    inputs["Y"] %= len(inputs["b2"]) - 1
