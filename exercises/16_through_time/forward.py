"""A recurrent network that reads names: an embedding, one state for each token, and a head that predicts the next one.

`t.name = expression` names a value. `t.h` is a list with one state for each step: `t.h[0]` is before the first token,
and `t.h[3]` has read three. All steps have the same weights.
"""

import torch
import torch.nn.functional as F

PARAMETERS = ("C", "h0", "Wx", "Wh", "b", "Wo", "bo")
GROUPS = {"parameters": {name: name for name in PARAMETERS}}


def inputs(generator, batch=5, time=6, vocabulary=27, features=8, hidden=10):
    """The parameters and a batch: tokens X (batch, time), and the token after each, Y (batch, time).

    As in a batch of names, each example has a length of its own. After its end, X is 0 and Y is -1: nothing is to be
    predicted there.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    lengths = torch.randint(1, time + 1, (batch, 1), generator=generator)
    lengths[0] = time
    ended = torch.arange(time) >= lengths
    return {
        "C": normal(vocabulary, features),
        "h0": normal(hidden) * 0.5,
        "Wx": normal(features, hidden) * features**-0.5,
        "Wh": normal(hidden, hidden) * hidden**-0.5,
        "b": normal(hidden) * 0.2,
        "Wo": normal(hidden, vocabulary) * hidden**-0.5,
        "bo": normal(vocabulary) * 0.2,
        "X": torch.randint(0, vocabulary, (batch, time), generator=generator).masked_fill(ended, 0),
        "Y": torch.randint(0, vocabulary, (batch, time), generator=generator).masked_fill(ended, -1),
    }


def forward(t):
    t.emb = t.C[t.X]
    # every example begins with the same state
    t.h = [t.h0.expand(len(t.X), -1)]
    for step in range(t.X.shape[1]):
        t.h.append(torch.tanh(t.emb[:, step] @ t.Wx + t.h[step] @ t.Wh + t.b))
    # every state after a token predicts the next one
    t.logits = torch.stack(t.h[1:], 1) @ t.Wo + t.bo
    # cross-entropy, the mean over all positions whose next token is known
    t.loss = F.cross_entropy(t.logits.flatten(0, 1), t.Y.flatten(), ignore_index=-1)


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def all_positions(inputs):
    """Every position has a next token."""
    inputs["Y"] = inputs["Y"].clamp(min=0)


def one_token(inputs):
    """The same token at every step: one row of C gets the gradients of all steps."""
    inputs["X"] = torch.ones_like(inputs["X"])


def saturated(inputs):
    """States near one and minus one: hardly any gradient passes a tanh."""
    inputs["Wx"] = inputs["Wx"] * 4


def exploding(inputs):
    """Small states, and a `Wh` that makes gradients larger at every step back."""
    for name in ("C", "b", "h0"):
        inputs[name] = inputs[name] * 0.001
    inputs["Wh"] = inputs["Wh"] * 4
