"""The model of `dojo train 21` at its start, its data, and autograd's run: your own run is compared with it.

The names are lesson 07's. The frozen layer is a table of counts: which character follows which. It is fine-tuned on the
names that end in "a". The first two characters of a name are the prompt.
"""

from pathlib import Path

import torch
import torch.nn.functional as F

from grader.errors import UserError
from grader.lesson.course_modules import load_module

GPT_FILE = Path(__file__).parent.parent / "15_gpt" / "reference.py"
BLOCK, RANK, ALPHA, RATE, PROMPT, BATCH, PIECES = 3, 8, 16.0, 2.0, 2, 64, 4


def gpt():
    """Lesson 15's reference.py, which turns names into tokens."""
    if not GPT_FILE.is_file():
        raise UserError(f"Training needs lesson 15's {GPT_FILE.name}, and {GPT_FILE.parent} is not there.")
    return load_module(GPT_FILE, "backprop_ninja_reference_15")


def contexts(X, vocabulary):
    """x (batch, time, 3 * vocabulary) of tokens X (batch, time): the last three, each as a one-hot vector."""
    padded = F.pad(X, (BLOCK - 1, 0))
    last = torch.stack([padded[:, place : place + X.shape[1]] for place in range(BLOCK)], 2)
    return F.one_hot(last, vocabulary).flatten(2).double()


def counted(X, Y, vocabulary):
    """W (3 * vocabulary, vocabulary): the logarithm of how often Y follows X. It reads the last character only."""
    known, counts = Y >= 0, torch.ones(vocabulary, vocabulary, dtype=torch.float64)
    ones = torch.ones(int(known.sum()), dtype=torch.float64)
    counts.index_put_((X[known], Y[known]), ones, accumulate=True)
    others = torch.zeros((BLOCK - 1) * vocabulary, vocabulary, dtype=torch.float64)
    return torch.cat((others, (counts / counts.sum(1, keepdim=True)).log()))


class EndingInA:
    """Names as pieces. `sets` are {"train": (X, Y), "validation": ..., "test": ...} of the names that end in "a"."""

    def __init__(self):
        self.names = gpt().Names()
        self.vocabulary = len(self.names.numbers)
        X, Y = self.names.sets["train"]
        self.W = counted(X, Y, self.vocabulary)
        self.sets = {name: self.chosen(*both) for name, both in self.names.sets.items()}

    def chosen(self, X, Y):
        last = (X != 0).sum(1, keepdim=True)
        chosen = X.gather(1, last)[:, 0] == self.names.numbers["a"]
        return X[chosen], Y[chosen]

    def piece(self, X, Y):
        """(x, targets, answer), as long as the longest of these names. The prompt is not part of the answer."""
        length = int((Y >= 0).sum(1).max())
        X, Y = X[:, :length], Y[:, :length]
        answer = (Y >= 0) & (torch.arange(length) >= PROMPT)
        return contexts(X, self.vocabulary), Y.clamp(min=0), answer.double()

    def pieces(self, batch):
        """A batch in four pieces, short names first: so they have different numbers of tokens."""
        X, Y = (each[batch] for each in self.sets["train"])
        order = (Y >= 0).sum(1).argsort(stable=True)
        return [self.piece(X[part], Y[part]) for part in order.chunk(PIECES)]


def start(generator, data):
    """The adapter before the first step: A is random and B is zero, as in the paper."""
    features = BLOCK * data.vocabulary
    A = torch.randn((features, RANK), generator=generator, dtype=torch.float64) * features**-0.5
    return {"parameters": {"A": A, "B": torch.zeros(RANK, data.vocabulary, dtype=torch.float64)}}


def loss_of(pieces, W, A, B):
    """The mean over the tokens of the answers of all pieces, with one product: W and the adapter are merged."""
    merged, terms = W + A @ B * (ALPHA / RANK), []
    for x, targets, answer in pieces:
        read = answer > 0
        terms.append(F.cross_entropy(x[read] @ merged, targets[read], reduction="none"))
    return torch.cat(terms).mean()


def autograd_gradients(pieces, W, A, B):
    """(loss, {"A": ..., "B": ...})"""
    leaves = {"A": A.clone().requires_grad_(), "B": B.clone().requires_grad_()}
    loss = loss_of(pieces, W, **leaves)
    return loss.item(), dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values())), strict=True))


def sample(W, A, B, data, generator):
    """A new name: its first two characters by the frozen layer, the others with the adapter."""
    merged, tokens = W + A @ B * (ALPHA / RANK), [0]
    while len(tokens) < data.names.length:
        weight = W if len(tokens) <= PROMPT else merged
        logits = contexts(torch.tensor([tokens]), data.vocabulary)[0, -1] @ weight
        tokens.append(int(torch.multinomial(F.softmax(logits, 0), 1, generator=generator)))
        if tokens[-1] == 0:
            return tokens[1:-1]
    return tokens[1:]
