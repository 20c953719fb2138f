"""Judges a step of the training run: your gradients, learning rate, update and loop, one after another.

`dojo train` compares them with autograd in the first steps and at intervals. If something is wrong, a sentence says
what it is, and names the row that `dojo check` explains.
"""

import math
from pathlib import Path

import torch

from grader.dojo.training.contract import TRAINING_RTOL
from grader.dojo.training.own_file import VariableWatch, blamed_line
from grader.errors import UserError
from grader.lesson.course_modules import load_module

functions = load_module(Path(__file__).with_name("own_functions.py"), "backprop_ninja_own_functions")
lecture = functions.lecture
NUMBER = Path(__file__).parent.name.split("_")[0]

FROM_THE_LOSS = ("W2", "b2", "bngain", "bnbias", "W1", "b1", "C")
"""The parameters in the order in which their gradients are computed: the first wrong one is to be corrected first."""
FIRST_HALF_RATE, SECOND_HALF_RATE = 0.1, 0.01
FIRST = 5
MAX_BETWEEN = 1000


class WrongStep(Exception):
    """Something is wrong. The text says what, in which line, and which command explains it."""


def judged_at(options):
    """The steps that are judged: the first ones, then every so often, and the last."""
    every = max(1, min(MAX_BETWEEN, options.steps // 20))
    return {*range(min(FIRST, options.steps)), *range(0, options.steps, every), options.steps - 1}


def judge(own, student, parameters, X, Y, batch, step, steps):
    """Raises WrongStep for the first thing that is wrong in step number `step`."""
    Xb, Yb = X[batch], Y[batch]
    loss, found = own.gradients(parameters, Xb, Yb)
    true_loss, expected = lecture.autograd_gradients(parameters, Xb, Yb)
    if not all(slope.isfinite().all() for slope in expected):
        return  # the numbers have exploded: the losses say so
    wrong = [row for row in lecture.compare(found, expected) if row.is_wrong]
    if abs(loss - true_loss) > TRAINING_RTOL * abs(true_loss):
        what, row = f"your loss is {loss:.4f} and autograd's is {true_loss:.4f}", "loss"
    elif wrong and not is_rounding(own, parameters, Xb, Yb):
        first, *others = sorted(wrong, key=lambda row: FROM_THE_LOSS.index(row.name))
        how = first.note or f"differs from autograd's by {first.relative:.1%} of its size"
        also = f" ({', '.join(f'd{other.name}' for other in others)} too)" if others else ""
        what, row = f"`d{first.name}` {how}{also}", f"d{first.name}"
    else:
        judge_loop(own, student, parameters, found, X, Y, batch, step, steps)
        return
    true = {}
    lecture.autograd_gradients(parameters, Xb, Yb, true)
    variables = VariableWatch(true, agrees)
    own.gradients(parameters, Xb, Yb, variables.look)
    raise WrongStep(sentence(step, what, row, student, "gradients", variables.wrong))


def judge_loop(own, student, parameters, slopes, X, Y, batch, step, steps):
    """Judges the learning rate, the update and the loop, once the gradients are right."""
    rate = own.learning_rate(step, steps)
    true_rate = FIRST_HALF_RATE if 2 * step < steps else SECOND_HALF_RATE
    if not math.isclose(rate, true_rate, rel_tol=TRAINING_RTOL):
        what = f"the learning rate is {rate:g} instead of {true_rate:g}"
        raise WrongStep(sentence(step, what, "learning_rate", student, "learning_rate"))
    expected = [p - true_rate * slope for p, slope in zip(parameters, slopes, strict=True)]
    for function, row, after in (
        ("update", "update", lambda: own.update(parameters, slopes, true_rate)),
        ("train", "trajectory", lambda: own.train(parameters, X, Y, [batch], steps, step)[1]),
    ):
        moved = zip(lecture.PARAMETERS, after(), expected, slopes, parameters, strict=True)
        for name, new, true, slope, old in moved:
            allowed = 1e-3 * true_rate * slope.abs().max() + 1e-6 * old.abs().max()
            if not (new - true).abs().max() <= allowed:
                what = (
                    f"the gradients are right, and `{function}` changes `{name}` in another way than gradient descent"
                )
                raise WrongStep(sentence(step, what, row, student, function))


def agrees(found, true):
    size = true.abs().max().item()
    return (found.double() - true.double()).abs().max().item() <= max(10 * TRAINING_RTOL * size, 1e-7)


def is_rounding(own, parameters, Xb, Yb):
    """Whether the gradients are right in float64, where rounding is far below any mistake."""
    exact = [p.double() for p in parameters]
    try:
        _, found = own.gradients(exact, Xb, Yb)
    except UserError:  # written for float32
        return False
    _, expected = lecture.autograd_gradients(exact, Xb, Yb)
    return not any(row.is_wrong for row in lecture.compare(found, expected))


def sentence(step, what, row, student, function, wrong=()):
    blame = blamed_line(student.text, function, wrong)
    place = f"{student.path}:{blame.line}" if blame else str(student.path)
    first = f"The first value that is wrong is `{blame.variable}`, at {place}." if blame and blame.variable else ""
    return f"Step {step:,}: {what}. {first or f'It comes from {place}.'} `dojo check {NUMBER}.{row}` explains it."
