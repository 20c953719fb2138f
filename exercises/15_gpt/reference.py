"""Names as sequences, the model at the start of a run, and autograd's run: your own run is compared with them."""

import math
from pathlib import Path

import torch

from grader.errors import UserError
from grader.lesson.course_modules import load_module

HERE = Path(__file__).parent
FORWARD = load_module(HERE / "forward.py", "backprop_ninja_forward_15_gpt")
LECTURE_FILE = HERE.parent / "07_training" / "lecture.py"

CHANNELS, HEADS, LAYERS, BATCH = 24, 4, 2, 32
CLIPPED_TO, DECAY = 1.0, 0.1
PRECISION = torch.float64
"""Adam divides by the size of a gradient, so that rounding grows from step to step. In float64 it stays invisible."""


def lecture():
    """Lesson 07's names and split."""
    if not LECTURE_FILE.is_file():
        raise UserError(f"The names come with lesson 07, and {LECTURE_FILE.parent} is not there.")
    return load_module(LECTURE_FILE, "backprop_ninja_lecture")


def sequences(words, numbers, length):
    """X, Y (names, length): what is read, with a 0 in front; and the token after each, -1 after the name's end."""
    X, Y = torch.zeros(len(words), length, dtype=torch.int64), torch.full((len(words), length), -1)
    for row, word in enumerate(words):
        tokens = torch.tensor([numbers[character] for character in word])
        X[row, 1 : len(word) + 1] = tokens
        Y[row, : len(word)] = tokens
        Y[row, len(word)] = 0
    return X, Y


class Names:
    """Lesson 07's data, one name per example: `sets` are {"train": (X, Y), "validation": ..., "test": ...}."""

    def __init__(self):
        of = lecture()
        data = of.Data.load(LECTURE_FILE.with_name("names.txt"))
        self.words, self.numbers, self.text = data.words, data.numbers, data.text
        self.length = 1 + max(map(len, self.words))
        parts = of.split(self.words)
        self.sets = {name: sequences(part, self.numbers, self.length) for name, part in parts.items()}

    def draw(self, generator):
        """The numbers of the names of one step."""
        return torch.randint(0, len(self.sets["train"][0]), (BATCH,), generator=generator)

    def examples(self, batch):
        X, Y = self.sets["train"]
        return X[batch], Y[batch]

    def facts(self, parameters, sizes):
        """The lines with which a run's log begins."""
        sets = " / ".join(f"{len(X):,} {name}" for name, (X, _) in self.sets.items())
        count = sum(value.numel() for value in parameters.values())
        return [
            f"{len(self.words):,} names, {len(self.numbers)} characters: {sets} names",
            f"{count:,} parameters: {sizes}",
        ]


def start_of(parameters):
    """The state before the first step: the parameters, and Adam's averages."""
    zeros = [{name: torch.zeros_like(value) for name, value in parameters.items()} for _ in range(2)]
    return {"parameters": parameters, "means": zeros[0], "squares": zeros[1]}


def own_gradients(student, parameters, X, Y, *more):
    """(loss, {name: gradient}) by the student's `gradients`. Raises UserError for a result of another form."""
    with torch.no_grad():
        found = student.call("gradients", {name: value.clone() for name, value in parameters.items()}, X, Y, *more)
    form = "(loss, {name: gradient})"
    if not isinstance(found, (tuple, list)) or len(found) != 2 or not isinstance(found[1], dict):
        raise UserError(f"To train, `gradients` must return {form}; it returned a {type(found).__name__}.")
    gradients = {}
    for name in parameters:
        gradient = found[1].get(name, found[1].get(f"d{name}"))
        gradient = torch.stack(gradient) if isinstance(gradient, list) else gradient
        if not isinstance(gradient, torch.Tensor):
            raise UserError(f"`gradients` must return {form}; `{name}` is {type(gradient).__name__}.")
        gradients[name] = gradient
    return float(found[0]), gradients


def initialise(generator, vocabulary, positions, hidden):
    """The parameters at the start, {name: tensor}, small enough that all tokens are about equally probable."""

    def normal(deviation, *shape):
        return torch.randn(shape, generator=generator, dtype=PRECISION) * deviation

    inner, onto = CHANNELS**-0.5, (2 * LAYERS) ** -0.5  # what is added to the residual stream adds up over the layers
    return {
        "wte": normal(0.1, vocabulary, CHANNELS),
        "wpe": normal(0.1, positions, CHANNELS),
        "gain1": torch.ones(LAYERS, CHANNELS, dtype=PRECISION),
        "Wq": normal(inner, LAYERS, CHANNELS, CHANNELS),
        "Wk": normal(inner, LAYERS, CHANNELS, CHANNELS),
        "Wv": normal(inner, LAYERS, CHANNELS, CHANNELS),
        "Wo": normal(inner * onto, LAYERS, CHANNELS, CHANNELS),
        "gain2": torch.ones(LAYERS, CHANNELS, dtype=PRECISION),
        "W1": normal(inner, LAYERS, CHANNELS, hidden),
        "W2": normal(hidden**-0.5 * onto, LAYERS, hidden, CHANNELS),
        "gain3": torch.ones(CHANNELS, dtype=PRECISION),
    }


class Values:
    """What `forward` calls `t` while training: a plain object, so that autograd sees the whole pass."""

    def __init__(self, **values):
        vars(self).update(values)


def loss_of(parameters, X, Y):
    t = Values(**parameters, X=X, Y=Y, heads=HEADS)
    FORWARD.forward(t)
    return t.loss


def autograd_gradients(parameters, X, Y, loss_of=loss_of):
    """(loss, {name: gradient}) by autograd."""
    leaves = {name: value.detach().requires_grad_() for name, value in parameters.items()}
    loss = loss_of(leaves, X, Y)
    loss.backward()
    found = {name: leaf.grad for name, leaf in leaves.items()}
    for value in parameters.values():
        value.requires_grad_(False).grad = None
    return loss.item(), found


def max_steps_of(steps):
    """The `max_steps` of a run of so many steps: the next multiple of 10, for which alone the rate is defined."""
    return -(-steps // 10) * 10


def learning_rate(step, max_steps):
    warm = max_steps / 10
    if step < warm:
        return 0.01 * (step + 1) / warm
    return 0.001 + 0.009 * math.sin(math.pi / 2 * (max_steps - step) / (max_steps - warm)) ** 2


def clip(slopes, most=CLIPPED_TO):
    """Scale the gradients in place."""
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(list(slopes.values()))))
    if norm > most:
        torch._foreach_mul_(list(slopes.values()), (most / norm).item())
    return slopes


def adam(parameters, slopes, means, squares, step, rate, decay=DECAY, decayed=None):
    """AdamW on all tensors at once. Changes `parameters`, `means` and `squares` in place.

    `decayed` names the parameters with weight decay: all except the gains, unless a lesson names others.
    """
    decayed = [name for name in parameters if not name.startswith("gain")] if decayed is None else decayed
    names = list(parameters)
    p, g, m, s = ([table[name] for name in names] for table in (parameters, slopes, means, squares))
    torch._foreach_lerp_(m, g, 0.1)
    torch._foreach_mul_(s, 0.99)
    torch._foreach_addcmul_(s, g, g, value=0.01)
    torch._foreach_mul_([parameters[name] for name in decayed], 1 - rate * decay)
    roots = torch._foreach_sqrt(s)
    torch._foreach_div_(roots, (1 - 0.99 ** (step + 1)) ** 0.5)
    torch._foreach_add_(roots, 1e-8)
    torch._foreach_addcdiv_(p, m, roots, value=-rate / (1 - 0.9 ** (step + 1)))


def autograd_train(state, X, Y, batches, max_steps, start):
    """The losses of the same training with autograd's gradients; changes the `state` in place."""
    losses = []
    for step, ix in enumerate(batches, start):
        loss, slopes = autograd_gradients(state["parameters"], X[ix], Y[ix])
        adam(**state, slopes=clip(slopes), step=step, rate=learning_rate(step, max_steps))
        losses.append(loss)
    return losses
