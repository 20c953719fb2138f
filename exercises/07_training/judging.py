"""Judges a step of the training run: your gradients, learning rate, update and loop, one after another.

`dojo train` compares them with autograd in the first steps and at intervals. What is wrong gets a sentence with the
name of the row that `dojo check` explains.
"""

import math
from pathlib import Path

import torch

from grader.dojo.training.blame import Blame, blamed_line
from grader.dojo.training.contract import ROUNDING
from grader.errors import UserError
from grader.lesson.course_modules import load_module

functions = load_module(Path(__file__).with_name("own_functions.py"), "backprop_ninja_own_functions")
lecture = functions.lecture
NUMBER = Path(__file__).parent.name.split("_")[0]

FROM_THE_LOSS = ("W2", "b2", "bngain", "bnbias", "W1", "b1", "C")
"""The parameters in the order in which their gradients are computed: the first wrong one is to be corrected first."""
FIRST = 5
MOST_BETWEEN = 1000


class WrongStep(Exception):
    """Something is not what it should be; the text says what, in which line, and which command explains it."""


def judged_at(options):
    """The steps that are judged: the first ones, then every so often, and the last."""
    every = max(1, min(MOST_BETWEEN, options.steps // 20))
    return {*range(min(FIRST, options.steps)), *range(0, options.steps, every), options.steps - 1}


def judge(own, student, parameters, X, Y, batch, step, steps):
    """Raises WrongStep for the first thing that is wrong in step number `step`."""
    Xb, Yb = X[batch], Y[batch]
    values, true = {}, {}
    loss, found = own.gradients(parameters, Xb, Yb, values)
    true_loss, expected = lecture.autograd_gradients(parameters, Xb, Yb, true)
    if not all(slope.isfinite().all() for slope in expected):
        return  # the numbers have exploded: the losses say so
    if abs(loss - true_loss) > ROUNDING * abs(true_loss):
        blame = blamed_line(student.text, "gradients", values, true, agrees)
        raise WrongStep(
            sentence(step, f"your loss is {loss:.4f} and autograd's is {true_loss:.4f}", "loss", student, blame)
        )
    wrong = [row for row in lecture.compare(found, expected) if row.is_wrong]
    if wrong and not is_rounding(own, parameters, Xb, Yb):
        names = [name for name in FROM_THE_LOSS if name in {row.name for row in wrong}]
        row = next(row for row in wrong if row.name == names[0])
        how = row.note or f"differs from autograd's by {row.relative:.1%} of its size"
        what = f"`d{names[0]}` {how}" + (f" ({', '.join(f'd{name}' for name in names[1:])} too)" if names[1:] else "")
        blame = blamed_line(student.text, "gradients", values, true, agrees)
        raise WrongStep(sentence(step, what, f"d{names[0]}", student, blame))
    judge_loop(own, student, parameters, found, X, Y, batch, step, steps)


def judge_loop(own, student, parameters, slopes, X, Y, batch, step, steps):
    """The gradients are right: what is made of them?"""
    rate, true_rate = own.learning_rate(step, steps), 0.1 if step < steps / 2 else 0.01
    if not math.isclose(rate, true_rate, rel_tol=ROUNDING):
        blame = blamed_line(student.text, "learning_rate", {}, {}, agrees)
        what = f"the learning rate is {rate:g} instead of {true_rate:g}"
        raise WrongStep(sentence(step, what, "learning_rate", student, blame))
    expected = [p - true_rate * slope for p, slope in zip(parameters, slopes, strict=True)]
    for function, row, after in (
        ("update", "update", lambda: own.update(parameters, slopes, true_rate)),
        ("train", "trajectory", lambda: own.train(parameters, X, Y, [batch], steps, step)[1]),
    ):
        moved = zip(lecture.PARAMETERS, after(), expected, slopes, parameters, strict=True)
        for name, new, true, slope, old in moved:
            allowed = 1e-3 * true_rate * slope.abs().max() + 1e-6 * old.abs().max()
            if not (new - true).abs().max() <= allowed:
                blame = blamed_line(student.text, function, {}, {}, agrees)
                what = (
                    f"the gradients are right, and `{function}` changes `{name}` in another way than gradient descent"
                )
                raise WrongStep(sentence(step, what, row, student, blame))


def agrees(found, true):
    size = true.abs().max().item()
    return (found.double() - true.double()).abs().max().item() <= max(10 * ROUNDING * size, 1e-7)


def is_rounding(own, parameters, Xb, Yb):
    """Whether the gradients are right in float64, where rounding is far below any mistake."""
    exact = [p.double() for p in parameters]
    try:
        _, found = own.gradients(exact, Xb, Yb)
    except UserError:  # written for float32
        return False
    _, expected = lecture.autograd_gradients(exact, Xb, Yb)
    return not any(row.is_wrong for row in lecture.compare(found, expected))


def sentence(step, what, row, student, blame: Blame | None):
    place = f"{student.path}:{blame.line}" if blame else str(student.path)
    first = f" The first value that differs is `{blame.variable}`, at {place}." if blame and blame.variable else ""
    return (
        f"Step {step:,}: {what}.{first or f' It is computed from {place} on.'} `dojo check {NUMBER}.{row}` explains it."
    )
