"""One gradient is 10 % too large: which rows of the student's own chain turn red?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from grader.defence.families.compared import ATOL, RTOL
from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion, listed, shuffled

FACTOR = 1.1
MOST_ROWS = 6
FEWEST = 2


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    lesson = material.lesson
    if lesson.joint is not None:
        return None
    problem = lesson.public_chain
    targets = {item.name: item.target for item in lesson.gradients if item.target}
    known: dict[str, Any] = problem.given | {f"d{name}": value for name, value in problem.chain.items()}
    order = [step for step in reversed_order(material) if set(material.functions[step].parameters) <= set(known)]
    if len(order) < 2 * FEWEST:
        return None
    known = {name: value for name, value in known.items() if name not in order}
    known |= {f"d{n}": v for n, v in problem.ends.items()}
    usual = material.chain(order, known, "", 1.0)
    candidates = order[:-FEWEST]
    chance.shuffle(candidates)
    for step in candidates[:6]:
        scaled = material.chain(order, known, step, FACTOR)
        turned = {row: is_red(scaled.get(row), usual.get(row)) for row in order if row != step}
        red = [row for row, found in turned.items() if found is True]
        # a row may be computed from the step and stay right, because sums cancel: the graph does not decide that
        below = {row for row in turned if targets[step] in problem.graph.above(targets[row] or "")}
        red = [row for row in red if row in below]
        green = [row for row, found in turned.items() if found is False and row not in below]
        before = [row for row in green if order.index(row) < order.index(step)]
        green = [row for row in green if row not in before] + before[-1:]
        if len(red) < 1 or len(green) < 1 or len(red) + len(green) < 3:
            continue
        chance.shuffle(red)
        chance.shuffle(green)
        count = min(len(red), MOST_ROWS - min(len(green), MOST_ROWS // 2))
        asked = [*red[:count], *green[: MOST_ROWS - count]]
        return question_about(step, targets[step] or "", asked, red, order, chance)
    return None


def question_about(
    step: str, target: str, asked: Sequence[str], red: Sequence[str], order: Sequence[str], chance: random.Random
) -> DefenceQuestion:
    choices = shuffled({row: f"`{row}`" for row in asked}, chance)
    key = tuple(row for row in asked if row in red)
    text = (
        f"Your `{step}` comes out 10 % too large, and everything else stays as you wrote it. You run your whole "
        "backward pass, each line with your own results from above. Which of these rows turn red, because the numbers "
        "are no longer approximately right?"
    )
    why = {
        row: f"`{row}` does not depend on `{step}`: it is computed before it, or from other gradients."
        for row in asked
        if row not in key
    }
    model = (
        f"Red: {listed(key)}. What is computed from `{step}`, directly or through another gradient, is wrong as well."
    )
    listen = (
        f"They follow the graph from `{target}` back to the inputs, and know which rows are computed before `{step}`."
    )
    claim = {"step": step, "target": target, "asked": list(asked)}
    return DefenceQuestion("chain", step, "multiple", text, key, choices, why, model, listen, claim)


def reversed_order(material: Material) -> list[str]:
    """The right steps, each after those that it may ask for."""
    lesson = material.lesson
    rank = {f"d{name}": -place for place, name in enumerate(lesson.public.graph.names)}
    steps = [item.name for item in lesson.gradients if item.name in material.right and item.name in material.functions]
    return sorted(steps, key=lambda step: rank.get(step, 0))


def is_red(found: Tensor | None, usual: Tensor | None) -> bool | None:
    """Whether a row turns red; None where rounding could decide."""
    if found is None or usual is None or found.shape != usual.shape:
        return None
    distance = float(((found - usual).abs() / (ATOL + RTOL * usual.abs())).max())
    return True if distance > 3 else False if distance < 0.3 else None
