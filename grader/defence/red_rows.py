"""One line of the student's is changed: which rows turn red? The public examples decide, run on the changed file."""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion, shuffled
from grader.results.wording import listed_as_code

MAX_LINES_TRIED, MAX_RED_ROWS = 5, 6
MIN_RED_ROWS = 3
"""Rows that a question needs."""


def red_rows(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """For functions that examples run as a whole; a gradient's line has an effect on what the graph says."""
    running = {
        line.at.function: [row for row, ran in material.ran.items() if line.at.function in ran] for line in lines
    }
    checked = [line for line in lines if line.is_checked and line.versions["wrong"]]
    tried = sorted(chance.sample(checked, len(checked)), key=lambda line: -len(running[line.at.function]))
    for line in tried[:MAX_LINES_TRIED]:
        variant, at = chance.choice(line.versions["wrong"]), line.at
        red = material.red_rows(line, variant.code, running[at.function])
        green = [row for row in material.ran if row not in running[at.function]]
        if not red or len(red) + len(green) < MIN_RED_ROWS:
            continue
        # at most MAX_RED_ROWS rows, half of them green where there are so many
        key = tuple(chance.sample(red, min(len(red), MAX_RED_ROWS - min(len(green), MAX_RED_ROWS // 2))))
        rows = [*key, *chance.sample(green, min(len(green), MAX_RED_ROWS - len(key)))]
        before, after = (f"return {c}" if at.is_returned else f"{at.name} = {c}" for c in (at.code, variant.code))
        text = (
            f"In your function `{at.function}`, one line is changed. Before and after:\n\n    {before}\n    {after}\n\n"
            "Nothing else in your file changes. Which of these rows of `dojo check` turn red?"
        )
        reason = f"Its example does not run `{at.function}`, neither directly nor through another function of yours."
        why = {row: reason for row in rows if row in green}
        model = f"Red: {listed_as_code(key)}. The change: {variant.words}. These rows run `{at.function}`."
        choices = shuffled({row: f"`{row}`" for row in rows}, chance)
        return DefenceQuestion("red_rows", line.row, "multiple", text, key, choices, why, model)
    return None
