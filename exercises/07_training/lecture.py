"""The lecture's data, network and batches, and autograd's gradients and run: your own run is compared with them.

Source: A. Karpathy, "Building makemore Part 4: Becoming a Backprop Ninja", exercise 4.
"""

import hashlib
import random
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from grader.errors import UserError

BLOCK, EMBEDDING, BATCH = 3, 10, 32
PARAMETERS = ("C", "W1", "b1", "W2", "b2", "bngain", "bnbias")

# The data -------------------------------------------------------------------------------------------------------------


def read_names(path):
    """One name per line, in the file's order."""
    try:
        words = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no UTF-8 text'}."
        ) from error
    if len(words) < 20 or any("." in word for word in words):
        raise UserError(f"{path} must hold 20 names or more, one a line, without full stops (`.` ends a name).")
    return words


def characters(words):
    """{character: number}; 0 is the full stop before and after each name."""
    return {".": 0} | {c: i + 1 for i, c in enumerate(sorted(set("".join(words))))}


def split(words):
    """80 %, 10 % and 10 % of the names, shuffled as in the lecture."""
    words = list(words)
    random.Random(42).shuffle(words)
    first, second = int(0.8 * len(words)), int(0.9 * len(words))
    return {"train": words[:first], "validation": words[first:second], "test": words[second:]}


def build_dataset(words, numbers, block=BLOCK):
    """X (examples, block): the numbers of the characters before; Y (examples,): of the one that comes next."""
    contexts, following = [], []
    for word in words:
        context = [0] * block
        for character in word + ".":
            contexts.append(context)
            following.append(numbers[character])
            context = [*context[1:], numbers[character]]
    return torch.tensor(contexts), torch.tensor(following)


@dataclass
class Data:
    words: list
    numbers: dict  # {character: number}
    sets: dict  # {"train": (X, Y), "validation": ..., "test": ...}
    digest: str

    @classmethod
    def load(cls, path):
        words = read_names(path)
        numbers = characters(words)
        sets = {name: build_dataset(part, numbers) for name, part in split(words).items()}
        return cls(words, numbers, sets, hashlib.sha256("\n".join(words).encode()).hexdigest())

    def text(self, tokens):
        letters = {number: character for character, number in self.numbers.items()}
        return "".join(letters.get(int(token), "?") for token in tokens)


# The network and its batches ------------------------------------------------------------------------------------------


def initialise(generator, vocabulary=27, hidden=200):
    """[C, W1, b1, W2, b2, bngain, bnbias] in the lecture's order and with its generator.

    The lecture draws the last two without the generator; here they come from it, so that a seed gives one run.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    fan_in = EMBEDDING * BLOCK
    return [
        normal(vocabulary, EMBEDDING),
        normal(fan_in, hidden) * (5 / 3) / fan_in**0.5,
        normal(hidden) * 0.1,
        normal(hidden, vocabulary) * 0.1,
        normal(vocabulary) * 0.1,
        normal(1, hidden) * 0.1 + 1.0,
        normal(1, hidden) * 0.1,
    ]


def draw_batch(generator, examples):
    """The numbers of the examples of one step."""
    return torch.randint(0, examples, (BATCH,), generator=generator)


# Autograd's run -------------------------------------------------------------------------------------------------------


def autograd_gradients(parameters, Xb, Yb):
    """(loss, gradients) by `loss.backward()`: what yours are compared with."""
    C, W1, b1, W2, b2, bngain, bnbias = leaves = [p.detach().requires_grad_() for p in parameters]
    emb = C[Xb]
    embcat = emb.view(Xb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bndiff, bnvar_inv = hprebn - bnmean, (bnvar + 1e-5) ** -0.5
    hpreact = bngain * bndiff * bnvar_inv + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    loss.backward()
    return loss.item(), [p.grad for p in leaves]


def autograd_train(parameters, X, Y, batches, max_steps, start=0):
    """The losses of plain gradient descent with autograd's gradients; changes `parameters` in place."""
    losses = []
    for step, ix in enumerate(batches, start):
        loss, slopes = autograd_gradients(parameters, X[ix], Y[ix])
        torch._foreach_add_(parameters, slopes, alpha=-0.1 if step < max_steps / 2 else -0.01)
        losses.append(loss)
    return losses
