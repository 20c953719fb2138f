"""One gradient is 10 % too large: which rows of the student's own chain turn red?"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from grader.defence.families.compared import ALLCLOSE_ATOL, ALLCLOSE_RTOL
from grader.defence.lines import Line
from grader.defence.material import Material, arguments_on
from grader.defence.question import DefenceQuestion, shuffled
from grader.reference.tape import Graph
from grader.results.wording import listed_as_code

CHAIN_FACTOR = 1.1
MAX_CHAIN_ROWS = 6
MIN_CHAIN_ROWS = 2
MAX_CHAINS_TRIED = 6


class ScaledChain(NamedTuple):
    """A backward pass by the student's own code, in which one of the `steps` can be scaled."""

    order: list[str]
    usual: dict[str, Tensor]
    scaled_by: Callable[[str], dict[str, Tensor]]
    steps: list[str]
    graph: Graph


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    if not material.lesson.gradients:
        return None
    found = joint_chain(material, lines, chance) if material.lesson.joint is not None else own_chain(material, chance)
    if found is None:
        return None
    order = found.order
    targets = {item.name: item.target or "" for item in material.lesson.gradients}
    for step in found.steps:
        scaled = found.scaled_by(step)
        turned = {row: is_red(scaled.get(row), found.usual.get(row)) for row in order if row != step}
        # a row may be computed from the step and stay right, because sums cancel: the graph does not decide that
        below = {row for row in turned if step[1:] in found.graph.above(targets[row])}
        red = [row for row, is_wrong in turned.items() if is_wrong and row in below]
        green = [row for row, is_wrong in turned.items() if is_wrong is False and row not in below]
        before = [row for row in green if step in order and order.index(row) < order.index(step)]
        green = [row for row in green if row not in before] + before[-1:]
        if not red or not green or len(red) + len(green) < 3:
            continue
        chance.shuffle(red)
        chance.shuffle(green)
        count = min(len(red), MAX_CHAIN_ROWS - min(len(green), MAX_CHAIN_ROWS // 2))
        rows = [*red[:count], *green[: MAX_CHAIN_ROWS - count]]
        return question_about(step, rows, red, material.lesson.joint is not None, chance)
    return None


def own_chain(material: Material, chance: random.Random) -> ScaledChain | None:
    """The student's steps on the published problem, each called with the results of those before it."""
    lesson, problem = material.lesson, material.lesson.public_chain
    known: dict[str, Any] = problem.given | {f"d{name}": value for name, value in problem.chain.items()}
    order = [step for step in reversed_order(material) if set(material.functions[step].parameters) <= set(known)]
    if len(order) < 2 * MIN_CHAIN_ROWS:
        return None
    known = {name: value for name, value in known.items() if name not in order}
    known |= {f"d{n}": v for n, v in problem.ends.items()}
    candidates = [step for step in order[:-MIN_CHAIN_ROWS] if any(step == item.name for item in lesson.gradients)]
    chance.shuffle(candidates)

    def scaled_by(step: str) -> dict[str, Tensor]:
        return material.chain(order, known, step, CHAIN_FACTOR)

    usual = material.chain(order, known, "", 1.0)
    return ScaledChain(order, usual, scaled_by, candidates[:MAX_CHAINS_TRIED], problem.graph)


def joint_chain(material: Material, lines: Sequence[Line], chance: random.Random) -> ScaledChain | None:
    """The function that returns all gradients, on the published problem, with one of its values scaled."""
    lesson, problem = material.lesson, material.lesson.public_chain
    function = material.functions.get(lesson.joint.name) if lesson.joint is not None else None
    arguments = function and arguments_on(problem, function.parameters)
    steps = [line.name for line in lines if function and line.target and line.name in function.scalable]
    if not arguments or not steps:
        return None
    chance.shuffle(steps)
    steps = steps[:MAX_CHAINS_TRIED]
    found = material.joint_chain(arguments, steps, CHAIN_FACTOR)
    if not found:
        return None
    usual, scaled = found[0], dict(zip(steps, found[1:], strict=True))
    order = [row for row in reversed_order(material, needs_function=False) if row in usual]
    return ScaledChain(order, usual, scaled.__getitem__, steps, problem.finer)


def question_about(
    step: str, rows: Sequence[str], red: Sequence[str], is_joint: bool, chance: random.Random
) -> DefenceQuestion:
    choices = shuffled({row: f"`{row}`" for row in rows}, chance)
    key = tuple(row for row in rows if row in red)
    how = "the whole function" if is_joint else "your whole backward pass, each line with your own results from above"
    text = (
        f"Your `{step}` comes out 10 % too large, and everything else stays as you wrote it. You run {how}. Which of "
        "these rows turn red, because the numbers are no longer approximately right?"
    )
    why = {
        row: f"`{row}` does not depend on `{step}`: it is computed before it, or from other gradients."
        for row in rows
        if row not in key
    }
    model = f"Red: {listed_as_code(key)}. What is computed from `{step}`, directly or indirectly, is wrong as well."
    listen = (
        f"They follow the graph from `{step[1:]}` back to the inputs, and know which rows are computed before `{step}`."
    )
    claim = {"step": step, "target": step[1:], "asked": list(rows)}
    return DefenceQuestion("chain", step, "multiple", text, key, choices, why, model, listen, claim)


def reversed_order(material: Material, needs_function: bool = True) -> list[str]:
    """The right steps, each after those that it may be computed from; those with a function of their own."""
    lesson = material.lesson
    rank = {f"d{name}": -place for place, name in enumerate(lesson.public.graph.names)}
    right = [item.name for item in lesson.gradients if item.name in material.right]
    steps = [step for step in right if step in material.functions or not needs_function]
    return sorted(steps, key=lambda step: rank.get(step, 0))


def is_red(found: Tensor | None, usual: Tensor | None) -> bool | None:
    """Whether a row turns red; None where rounding could decide."""
    if found is None or usual is None or found.shape != usual.shape:
        return None
    distance = float(((found - usual).abs() / (ALLCLOSE_ATOL + ALLCLOSE_RTOL * usual.abs())).max())
    return True if distance > 3 else False if distance < 0.3 else None
