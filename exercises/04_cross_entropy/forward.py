"""The cross-entropy loss as one step: logits (batch, vocabulary) and true classes Yb (batch,) in, one number out.

You may use the values `logprobs` and `probs` (add their names to your parameters), but you do not return their
gradients: from `loss` to `logits` is a single step here.
"""

import torch
import torch.nn.functional as F


def inputs(generator, batch=32, vocabulary=27, spread=1.0):
    """Logits drawn from a normal distribution with standard deviation `spread`, and a true class for each row."""
    return {
        "logits": torch.randn((batch, vocabulary), generator=generator) * spread,
        "Yb": torch.randint(0, vocabulary, (batch,), generator=generator),
        "n": batch,
    }


def forward(t):
    with t.fused():
        t.logprobs = F.log_softmax(t.logits, 1)
        t.probs = t.logprobs.exp()
    t.loss = -t.logprobs[range(t.n), t.Yb].mean()  # the same number as F.cross_entropy(logits, Yb)


# What hidden problems also are, and those that `dojo check` draws: see `change` in lesson.toml.


def without_the_last(inputs):
    """The last class never occurs."""
    inputs["Yb"] %= inputs["logits"].shape[1] - 1
