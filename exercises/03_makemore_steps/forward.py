"""The lecture's network, one operation per line: embedding, linear, batch norm, tanh, linear, cross-entropy.

Source: A. Karpathy, "Building makemore Part 4: Becoming a Backprop Ninja".
`t.name = expression` names a value; your gradients are with respect to these names.
"""

from functools import cache

import torch

CHARACTERS = ".abcdefghijklmnopqrstuvwxyz"
"""Token 0 is the full stop before and after each name; a is token 1, z is token 26."""

NAMES = """emma olivia ava isabella sophia charlotte mia amelia aaron abigail adrian agnes albert alexa barbara benjamin
    carlos daniel dorothy edward elizabeth felix gloria harry irene jacob joyce katherine kevin laura martha nathan
    oscar patricia quincy robert susan thomas ursula victor wayne xavier yolanda zachary"""


@cache
def examples(block):
    """All contexts of the names (count, block), and the character that follows each (count,), as tokens."""
    contexts, following = [], []
    for name in NAMES.split():
        tokens = [0] * block + [CHARACTERS.index(character) for character in name] + [0]
        for place in range(block, len(tokens)):
            contexts.append(tokens[place - block : place])
            following.append(tokens[place])
    return torch.tensor(contexts), torch.tensor(following)


def inputs(generator, batch=32, block=3, vocabulary=27, embedding=10, hidden=64):
    """The lecture's parameters, and a batch of contexts Xb (batch, block) with their next characters Yb (batch,).

    The examples are drawn from NAMES. With a vocabulary of fewer than 27 tokens, several letters share a token.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    fan_in, (X, Y) = embedding * block, examples(block)
    parameters = {
        "C": normal(vocabulary, embedding),
        "W1": normal(fan_in, hidden) * (5 / 3) / fan_in**0.5,
        "b1": normal(hidden) * 0.1,
        "W2": normal(hidden, vocabulary) * 0.1,
        "b2": normal(vocabulary) * 0.1,
        "bngain": normal(1, hidden) * 0.1 + 1.0,
        "bnbias": normal(1, hidden) * 0.1,
    }
    ix = torch.randint(0, len(X), (batch,), generator=generator)
    return {**parameters, "Xb": X[ix] % vocabulary, "Yb": Y[ix] % vocabulary, "n": batch}


def forward(t):
    # embedding
    t.emb = t.C[t.Xb]
    t.embcat = t.emb.view(t.emb.shape[0], -1)
    # linear layer 1
    t.hprebn = t.embcat @ t.W1 + t.b1
    # batch norm
    t.bnmeani = 1 / t.n * t.hprebn.sum(0, keepdim=True)
    t.bndiff = t.hprebn - t.bnmeani
    t.bndiff2 = t.bndiff**2
    t.bnvar = 1 / (t.n - 1) * t.bndiff2.sum(0, keepdim=True)  # Bessel's correction: n - 1
    t.bnvar_inv = (t.bnvar + 1e-5) ** -0.5
    t.bnraw = t.bndiff * t.bnvar_inv
    t.hpreact = t.bngain * t.bnraw + t.bnbias
    # non-linearity
    t.h = torch.tanh(t.hpreact)
    # linear layer 2
    t.logits = t.h @ t.W2 + t.b2
    # cross-entropy, the same as F.cross_entropy(logits, Yb)
    t.logit_maxes = t.logits.max(1, keepdim=True).values
    t.norm_logits = t.logits - t.logit_maxes
    t.counts = t.norm_logits.exp()
    t.counts_sum = t.counts.sum(1, keepdim=True)
    t.counts_sum_inv = t.counts_sum**-1
    t.probs = t.counts * t.counts_sum_inv
    t.logprobs = t.probs.log()
    t.loss = -t.logprobs[range(t.n), t.Yb].mean()


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def without_the_last(inputs):
    """The last token and the last class never occur, and the last logit is never a row's maximum."""
    classes = len(inputs["b2"])
    inputs["Xb"] %= classes - 1
    inputs["Yb"] %= classes - 1
    inputs["b2"][-1] = inputs["b2"].min() - 3


def tie_at_the_maximum(inputs):
    """In every row, two classes have exactly the same logit, and it is the largest of the row."""
    inputs["W2"][:, 1] = inputs["W2"][:, 4] = 0
    inputs["b2"][1] = inputs["b2"][4] = 20


TIE = {
    "dlogits": "Where two logits of a row are equal and the largest, their maximum has no derivative. `max(1)` gives "
    "all of the gradient to the first of them, `amax` shares it, comparing with the maximum repeats it. All count as "
    "right."
}
