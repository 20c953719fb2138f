"""A wrong version of one line of a function that is checked as a whole: which of the lesson's rows turn red?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.changed_lines import Variant
from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion, shuffled
from grader.defence.recorded import RecordedMaterial
from grader.results.wording import listed_as_code

MAX_LINES_TRIED, MAX_RED_ROWS = 5, 6
MIN_RED_ROWS = 3
"""Rows that a question needs."""


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    if not isinstance(material, RecordedMaterial) or len(material.ran) < MIN_RED_ROWS:
        return None
    preferred = [line.row for line in lines]
    every = sorted(material.every_line, key=lambda line: preferred.index(line.row) if line.row in preferred else 0)
    candidates = [(line, variant) for line in every for variant in line.wrong if variant.kind not in ("ratio", "twice")]
    chance.shuffle(candidates)
    candidates.sort(key=lambda each: each[1].kind == "sign")
    candidates.sort(key=lambda each: -len(running(material, each[0].at.function)))
    # one version per line, so that a line whose versions show nothing does not use up the attempts
    tried = list({line.at.number: (line, variant) for line, variant in reversed(candidates)}.values())[::-1]
    for line, variant in tried[:MAX_LINES_TRIED]:
        running_it = running(material, line.at.function)
        green = [row for row in material.ran if row not in running_it]
        holding = material.holding(line, variant.code, running_it)
        red = [row for row, holds in holding.items() if not holds]
        if red and len(red) + len(green) >= MIN_RED_ROWS:
            return question_about(line, variant, red, green, chance)
    return None


def changed_statement(line: Line, code: str) -> str:
    """A line as it could be in the file; the part of a returned tuple is named by its place."""
    if line.at.is_returned and line.at.name == f"{line.at.function}(...)":
        return f"return {code}"
    return f"{line.at.name} = {code}"


def running(material: RecordedMaterial, function: str) -> list[str]:
    """The rows whose examples run a function."""
    return [row for row, ran in material.ran.items() if function in ran]


def rows_of_both(red: Sequence[str], green: Sequence[str], chance: random.Random) -> list[str]:
    """At most MAX_RED_ROWS rows, half of them green where there are so many."""
    count = min(len(red), MAX_RED_ROWS - min(len(green), MAX_RED_ROWS // 2))
    return [*chance.sample(red, count), *chance.sample(green, min(len(green), MAX_RED_ROWS - count))]


def question_about(
    line: Line, variant: Variant, red: Sequence[str], green: Sequence[str], chance: random.Random
) -> DefenceQuestion:
    rows = rows_of_both(red, green, chance)
    choices = shuffled({row: f"`{row}`" for row in rows}, chance)
    key = tuple(row for row in rows if row in red)
    text = (
        f"In your function `{line.at.function}`, one line is changed. Before and after:\n\n"
        f"    {changed_statement(line, line.at.code)}\n    {changed_statement(line, variant.code)}\n\n"
        "Nothing else in your file changes. Which of these rows of `dojo check` turn red?"
    )
    why = {
        row: f"Its example does not run `{line.at.function}`, neither directly nor through another function of yours."
        for row in rows
        if row not in key
    }
    model = f"Red: {listed_as_code(key)}. The change: {variant.words}. These rows run `{line.at.function}`."
    listen = "They know which of their functions call which, and what a caller does with the changed value."
    at = line.at
    claim = {"function": at.function, "number": at.number, "line": at.code, "code": variant.code, "asked": rows}
    return DefenceQuestion("red_rows", line.row, "multiple", text, key, choices, why, model, listen, claim)
