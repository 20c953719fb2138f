"""One gradient is set to zero in every step of a training run: does training stop, slow down, diverge or not change?

Measured: the lesson's network is trained with plain gradient descent, once as it is and once with this gradient zero.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion
from grader.defence.small_problems import MAX_DRAWS_TRIED, problem_of, size_names
from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem
from grader.reference.tape import LOSS, is_floating

STEPS, RATE = 40, 0.1
MAX_TARGETS = 4
"""Gradients for which the network is trained, twice each, before the question is about one of them."""
ZERO_SIZES = (6, 7, 8, 9, 10, 11, 12, 13, 14)
MAX_PARAMETERS = 10_000
"""Of a network that is trained for a question. Lesson 15's has more at any of these sizes: half a minute each time."""
MIN_FALL = 0.2
"""Of the first loss: by how much the usual training has to reduce it."""
SLOWED = (0.08, 0.85)
DATA = ("X", "x", "dout", "past", "keep1", "keep2")
ZERO_CHOICES = {
    "stops": "it stops: the loss stays where it is",
    "slows": "it goes on with a higher loss: a part of the network no longer learns",
    "same": "nothing changes: the loss is the same in every step",
    "diverges": "it diverges: the loss grows",
}
ZERO_REASONS = {
    "stops": "No parameter gets a gradient any more: all of them are computed from this one.",
    "slows": "Some parameters get no gradient from here, and others still learn.",
    "same": "This gradient is zero anyway, or no parameter's gradient is computed from it alone.",
    "diverges": "Gradients from other paths no longer cancel with this one.",
}


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    targets = dict.fromkeys(line.target for line in lines if line.target and line.row == f"d{line.target}")
    rows = {item.name: item.target for item in material.lesson.gradients if item.name in material.right and item.target}
    order = [*targets, *(target for target in rows.values() if target not in targets)]
    chance.shuffle(order)
    wanted = list(ZERO_CHOICES)
    chance.shuffle(wanted)
    expected = {target: first_step(material.lesson).get(target, "") for target in order}
    if len(set(expected.values()) - {""}) < 2:  # the whole class would have one answer
        return None
    order.sort(key=lambda target: wanted.index(expected[target]) if expected[target] else len(wanted))
    best: tuple[str, str] | None = None
    for target in order[:MAX_TARGETS]:
        answer = effect_of_zero(material.lesson, target)
        if answer and (best is None or wanted.index(answer) < wanted.index(best[0])):
            best = answer, target
        if best and best[0] == wanted[0]:
            break
    if best is None:
        return None
    answer, target = best
    text = (
        f"You train the lesson's network with your gradients, by gradient descent on all parameters (learning rate "
        f"{RATE}, {STEPS} steps, always the same batch). A slip makes `d{target}` zero in every step, and what is "
        "computed from it is computed from zeros. Compared with the right training, what happens to the loss?"
    )
    why = {name: ZERO_REASONS[answer] for name in ZERO_CHOICES if name != answer}
    model = f"{ZERO_CHOICES[answer].capitalize()}. {ZERO_REASONS[answer]}"
    listen = "They name the parameters that still get a gradient, and those whose gradient is computed from this one."
    claim = {"target": target, "sizes": dict(training_sizes(material.lesson) or {})}
    return DefenceQuestion("zero", f"d{target}", "choice", text, answer, ZERO_CHOICES, why, model, listen, claim)


@lru_cache(32)
def training_sizes(lesson: Lesson) -> Mapping[str, int] | None:
    """Sizes at which usual training reduces the loss; None for a lesson without training."""
    chance = random.Random(lesson.name)
    if not lesson.gradients or LOSS not in lesson.public.values:
        return None
    smallest = problem_of(lesson, dict.fromkeys(size_names(lesson), ZERO_SIZES[0]), 0)
    if smallest is not None and count_of_parameters(smallest) > MAX_PARAMETERS:
        return None
    for seed in range(MAX_DRAWS_TRIED):
        sizes = {name: chance.choice(ZERO_SIZES) for name in size_names(lesson)}
        problem = problem_of(lesson, sizes, seed)
        if problem is None or count_of_parameters(problem) > MAX_PARAMETERS:
            continue
        losses = losses_of_training(lesson, problem, "")
        return sizes if losses[0] > 0 and 0 <= losses[-1] < (1 - MIN_FALL) * losses[0] else None
    return None


def count_of_parameters(problem: Problem) -> int:
    return sum(value.numel() for value in problem.inputs.values() if is_floating(value))


@lru_cache(512)
def effect_of_zero(lesson: Lesson, target: str) -> str | None:
    """What zero in place of one gradient does to the training, the same on two problems; None where it is not clear."""
    sizes = training_sizes(lesson)
    if sizes is None:
        return None
    found = set()
    for seed in (1, 2):
        problem = problem_of(lesson, sizes, seed)
        if problem is None:
            return None
        found.add(outcome(usual_losses(lesson, seed), losses_of_training(lesson, problem, target)))
    return found.pop() if len(found) == 1 else None


@lru_cache(32)
def first_step(lesson: Lesson) -> dict[str, str]:
    """{forward value: what to expect of its gradient as zero}, by what is left of the parameters' gradients at first.

    "" where it is not clear. This saves trainings that give another answer than the one that is looked for, or none.
    The answer itself is measured.
    """
    sizes = training_sizes(lesson)
    problem = None if sizes is None else problem_of(lesson, sizes, 1)
    if problem is None:
        return {}
    usual = torch.cat([slope.flatten() for slope in slopes(lesson, problem.inputs, "")[1].values()])
    found = {}
    for target in (item.target for item in lesson.gradients if item.target):
        left = torch.cat([slope.flatten() for slope in slopes(lesson, problem.inputs, target)[1].values()])
        size, change = float(usual.norm()), float((left - usual).norm())
        share = float(left.norm()) ** 2 / size**2 if size else 0.0  # of the fall of the loss in a small step
        slows = "slows" if SLOWED[0] < share < SLOWED[1] else ""
        found[target] = "stops" if not left.any() else "same" if change < 1e-6 * size else slows
    return found


@lru_cache(32)
def usual_losses(lesson: Lesson, seed: int) -> tuple[float, ...]:
    problem = problem_of(lesson, training_sizes(lesson) or {}, seed)
    assert problem is not None
    return tuple(losses_of_training(lesson, problem, ""))


def outcome(usual: Sequence[float], zeroed: Sequence[float], slowed: tuple[float, float] = SLOWED) -> str | None:
    """Clear cases only: between them there are wide gaps, the `slowed` shares of the usual fall of the loss."""
    fall = usual[0] - usual[-1]
    if fall < MIN_FALL * usual[0]:
        return None
    if not math.isfinite(zeroed[-1]) or zeroed[-1] > usual[0] + 0.5 * fall:
        return "diverges"
    if max(abs(one - other) for one, other in zip(usual, zeroed, strict=True)) < 1e-6 * usual[0]:
        return "same"
    if max(abs(loss - usual[0]) for loss in zeroed) < 1e-9 * usual[0]:
        return "stops"
    share = (usual[0] - zeroed[-1]) / fall
    return "slows" if slowed[0] < share < slowed[1] else None


class Values:
    """Takes the names of a forward pass as a tape does. The gradient of the value `zeroed` is zero."""

    zeroed: str

    def __init__(self, inputs: Mapping[str, Any], zeroed: str) -> None:
        object.__setattr__(self, "zeroed", zeroed)
        for name, value in inputs.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == self.zeroed and isinstance(value, Tensor):
            value = value.detach()
        object.__setattr__(self, name, value)

    def fused(self) -> Any:
        return torch.enable_grad()


def slopes(lesson: Lesson, inputs: Mapping[str, Any], zeroed: str) -> tuple[float, dict[str, Tensor]]:
    """The loss, and its gradient with respect to each parameter, with d`zeroed` zero."""
    leaves = {n: v.detach().requires_grad_() for n, v in inputs.items() if is_floating(v) and n not in DATA}
    values = Values({**inputs, **leaves}, zeroed)
    with torch.enable_grad():
        lesson.module.forward(values)
    loss: Tensor = values.loss  # type: ignore[attr-defined]
    found: Sequence[Tensor | None] = [None] * len(leaves)
    if loss.requires_grad:
        found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    pairs = zip(leaves.items(), found, strict=True)
    return float(loss.detach()), {n: torch.zeros_like(leaf) if slope is None else slope for (n, leaf), slope in pairs}


def losses_of_training(lesson: Lesson, problem: Problem, zeroed: str) -> list[float]:
    """The losses of STEPS steps of gradient descent on all parameters of the problem, with d`zeroed` zero."""
    inputs, losses = dict(problem.inputs), []
    for _ in range(STEPS + 1):
        loss, of = slopes(lesson, inputs, zeroed)
        losses.append(loss)
        inputs |= {name: inputs[name] - RATE * slope for name, slope in of.items()}
    return losses
