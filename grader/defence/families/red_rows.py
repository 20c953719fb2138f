"""One line of the student's is changed: which rows turn red? The public examples decide, run on the changed file."""

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
    """For functions that examples run as a whole; a gradient's line has an effect on what the graph says."""
    if not isinstance(material, RecordedMaterial):
        return None
    every = [line for line in material.every_line if line.row not in material.changed_rows]
    candidates = [(line, variant) for line in every for variant in line.wrong if variant.kind not in ("ratio", "twice")]
    chance.shuffle(candidates)
    candidates.sort(key=lambda each: (-len(material.running(each[0].at.function)), each[1].kind == "sign"))
    # one version per line, so that a line whose versions show nothing does not use up the attempts
    tried = list({line.at.number: (line, variant) for line, variant in reversed(candidates)}.values())[::-1]
    for line, variant in tried[:MAX_LINES_TRIED]:
        running = material.running(line.at.function)
        red = [row for row, holds in material.holding(line, variant.code, running).items() if not holds]
        green = [row for row in material.ran if row not in running]
        if red and len(red) + len(green) >= MIN_RED_ROWS:
            material.changed_rows.add(line.row)
            return question_about(line, variant, red, green, chance)
    return None


def changed_statement(line: Line, code: str) -> str:
    """A line as it could be in the file; the part of a returned tuple is named by its place."""
    return f"return {code}" if line.at.is_returned else f"{line.at.name} = {code}"


def question_about(
    line: Line, variant: Variant, red: Sequence[str], green: Sequence[str], chance: random.Random
) -> DefenceQuestion:
    """A question with at most MAX_RED_ROWS rows, half of them green where there are so many."""
    count = min(len(red), MAX_RED_ROWS - min(len(green), MAX_RED_ROWS // 2))
    key = tuple(chance.sample(red, count))
    rows = [*key, *chance.sample(green, min(len(green), MAX_RED_ROWS - count))]
    at = line.at
    text = (
        f"In your function `{at.function}`, one line is changed. Before and after:\n\n"
        f"    {changed_statement(line, at.code)}\n    {changed_statement(line, variant.code)}\n\n"
        "Nothing else in your file changes. Which of these rows of `dojo check` turn red?"
    )
    reason = f"Its example does not run `{at.function}`, neither directly nor through another function of yours."
    why = {row: reason for row in rows if row in green}
    model = f"Red: {listed_as_code(key)}. The change: {variant.words}. These rows run `{at.function}`."
    claim = {"function": at.function, "name": at.name, "line": at.code, "code": variant.code, "asked": rows}
    choices = shuffled({row: f"`{row}`" for row in rows}, chance)
    return DefenceQuestion("red_rows", line.row, "multiple", text, key, choices, why, model, claim)
