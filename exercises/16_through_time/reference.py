"""The recurrent network at the start of a run, and autograd's run: your own run is compared with them.

The names, Adam and the learning rate are lesson 15's, so that the two models can be compared.
"""

from pathlib import Path

import torch

from grader.errors import UserError
from grader.lesson.course_modules import load_module

HERE = Path(__file__).parent
FORWARD = load_module(HERE / "forward.py", "backprop_ninja_forward_16_through_time")
GPT_FILE = HERE.parent / "15_gpt" / "reference.py"
FEATURES, BATCH = 23, 32
DECAYED = ("C", "Wx", "Wh", "Wo")


def gpt():
    if not GPT_FILE.is_file():
        raise UserError(f"Training needs lesson 15's {GPT_FILE.name}, and {GPT_FILE.parent} is not there.")
    return load_module(GPT_FILE, "backprop_ninja_reference_15")


def initialise(generator, vocabulary, hidden):
    """The parameters at the start, {name: tensor}. `Wh` is a rotation: it makes no gradient longer or shorter."""

    def normal(deviation, *shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64) * deviation

    return {
        "C": normal(1.0, vocabulary, FEATURES),
        "h0": normal(0.0, hidden),
        "Wx": normal(FEATURES**-0.5 / 2, FEATURES, hidden),
        "Wh": torch.linalg.qr(normal(1.0, hidden, hidden)).Q,
        "b": normal(0.0, hidden),
        "Wo": normal(0.1 * hidden**-0.5, hidden, vocabulary),
        "bo": normal(0.0, vocabulary),
    }


class Values:
    """What `forward` calls `t` while training: a plain object, so that autograd sees the whole pass."""

    def __init__(self, **values):
        vars(self).update(values)


def loss_of(parameters, X, Y):
    t = Values(**parameters, X=X, Y=Y)
    FORWARD.forward(t)
    return t.loss


def sample(parameters, generator, longest):
    """The tokens of a new name, drawn one by one, until token 0 or `longest` tokens."""
    state, token, tokens = parameters["h0"], 0, []
    while len(tokens) < longest:
        state = torch.tanh(parameters["C"][token] @ parameters["Wx"] + state @ parameters["Wh"] + parameters["b"])
        probs = torch.softmax(state @ parameters["Wo"] + parameters["bo"], 0)
        token = int(torch.multinomial(probs, 1, generator=generator))
        if token == 0:
            break
        tokens.append(token)
    return tokens
