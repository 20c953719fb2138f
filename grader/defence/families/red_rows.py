"""One line of the student's is changed: which rows turn red? Decided by running the changed file."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from grader.defence.changed_lines import Variant
from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion, shuffled
from grader.defence.recorded import RecordedMaterial
from grader.defence.small_problems import graph_of
from grader.results.wording import listed_as_code

MAX_LINES_TRIED, MAX_RED_ROWS = 5, 6
ALLCLOSE_RTOL, ALLCLOSE_ATOL = 1e-5, 1e-8
MIN_RED_ROWS = 3
"""Rows that a question needs."""


@dataclass(frozen=True)
class Effect:
    """What a changed line does.

    Attributes:
        red, green: the rows that it turns red, and rows that it cannot change.
        where: what is run, and the question about it.
        why_green: why the green rows stay as they are; because: why the others turn red.
    """

    red: Sequence[str]
    green: Sequence[str]
    where: str
    why_green: str
    because: str


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    recorded = material if isinstance(material, RecordedMaterial) else None
    usual = material.gradients() if recorded is None else {}
    every = lines
    if recorded is not None:
        every = [line for line in recorded.every_line if line.row not in recorded.changed_rows]
    candidates = [(line, variant) for line in every for variant in line.wrong if variant.kind not in ("ratio", "twice")]
    chance.shuffle(candidates)
    candidates.sort(key=lambda each: each[1].kind == "sign")
    if recorded is not None:
        running = recorded.running
        candidates.sort(key=lambda each: -len(running(each[0].at.function)))
    # one version per line, so that a line whose versions show nothing does not use up the attempts
    tried = list({line.at.number: (line, variant) for line, variant in reversed(candidates)}.values())[::-1]
    for line, variant in tried[:MAX_LINES_TRIED]:
        found = (
            effect_on_gradients(material, line, variant, usual)
            if recorded is None
            else effect_on_checks(recorded, line, variant)
        )
        if found.red and len(found.red) + len(found.green) >= MIN_RED_ROWS:
            if recorded is not None:
                recorded.changed_rows.add(line.row)
            return question_about(line, variant, found, chance)
    return None


def effect_on_checks(material: RecordedMaterial, line: Line, variant: Variant) -> Effect:
    """By the public examples, which run on the changed file."""
    function = line.at.function
    running = material.running(function)
    return Effect(
        [row for row, holds in material.holding(line, variant.code, running).items() if not holds],
        [row for row in material.ran if row not in running],
        "Nothing else in your file changes. Which of these rows of `dojo check` turn red?",
        f"Its example does not run `{function}`, neither directly nor through another function of yours.",
        f"These rows run `{function}`.",
    )


def effect_on_gradients(material: Material, line: Line, variant: Variant, usual: Mapping[str, Tensor]) -> Effect:
    """By a backward pass of the changed file, each step with the results of those before it."""
    lesson, step = material.lesson, line.row
    graph = graph_of(lesson, lesson.public_chain)
    targets = {item.name: item.target for item in lesson.gradients if item.target and item.name in material.right}
    changed = material.changed_gradients(line, variant.code)
    turned = {row: is_red(changed.get(row), usual.get(row)) for row in targets if row != step}
    # a row may be computed from the step and stay right, because sums cancel: the graph does not decide that
    below = {row for row in turned if step[1:] in graph.above(targets[row])}
    red = [row for row, is_wrong in turned.items() if is_wrong and row in below]
    green = [row for row, is_wrong in turned.items() if is_wrong is False and row not in below]
    rank = {f"d{name}": -place for place, name in enumerate(lesson.public.graph.names)}
    earlier = sorted((row for row in green if rank.get(row, 0) < rank.get(step, 0)), key=lambda row: rank.get(row, 0))
    green = [row for row in green if row not in earlier] + earlier[-1:]
    how = (
        "the whole function"
        if lesson.joint is not None
        else "your whole backward pass, each line with your own results from above"
    )
    return Effect(
        red if green else [],
        green,
        f"Nothing else changes. You run {how}. Which of these other rows turn red, because their numbers are no longer "
        "approximately right?",
        f"It does not depend on `{step}`: it is computed before it, or from other gradients.",
        f"What is computed from `{step}`, directly or indirectly, is wrong as well.",
    )


def is_red(found: Tensor | None, usual: Tensor | None) -> bool | None:
    """Whether a row turns red; None where rounding could decide, or the row was not computed."""
    if found is None or usual is None or found.shape != usual.shape:
        return None
    distance = float(((found - usual).abs() / (ALLCLOSE_ATOL + ALLCLOSE_RTOL * usual.abs())).max())
    return True if distance > 3 else False if distance < 0.3 else None


def changed_statement(line: Line, code: str) -> str:
    """A line as it could be in the file; the part of a returned tuple is named by its place."""
    return f"return {code}" if line.at.is_returned else f"{line.at.name} = {code}"


def question_about(line: Line, variant: Variant, effect: Effect, chance: random.Random) -> DefenceQuestion:
    """A question with at most MAX_RED_ROWS rows, half of them green where there are so many."""
    red, green = effect.red, effect.green
    count = min(len(red), MAX_RED_ROWS - min(len(green), MAX_RED_ROWS // 2))
    key = tuple(chance.sample(red, count))
    rows = [*key, *chance.sample(green, min(len(green), MAX_RED_ROWS - count))]
    at = line.at
    text = (
        f"In your function `{at.function}`, one line is changed. Before and after:\n\n"
        f"    {changed_statement(line, at.code)}\n    {changed_statement(line, variant.code)}\n\n{effect.where}"
    )
    why = {row: effect.why_green for row in rows if row not in key}
    model = f"Red: {listed_as_code(key)}. The change: {variant.words}. {effect.because}"
    claim = {"function": at.function, "name": at.name, "line": at.code, "code": variant.code, "asked": rows}
    choices = shuffled({row: f"`{row}`" for row in rows}, chance)
    return DefenceQuestion("red_rows", line.row, "multiple", text, key, choices, why, model, claim)
