"""Scores scaled to the maxima that a platform gives to its columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.errors import UserError
from grader.publish.export.marks import Marks, lesson_named
from grader.results import points_text


def points_in_cell(cell: str) -> float | None:
    """A positive number as a platform writes it: "100.00", "100,00", "1,000"; None for anything else."""
    text = re.sub(r"\s", "", cell)
    if re.fullmatch(r"([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),([0-9]{1,2}|[0-9]{4,})", text):  # a decimal comma
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", text):
        text = text.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text):
        return None
    return float(text) or None


def maxima_from_options(marks: Marks, columns: Mapping[str, str], options: Sequence[str]) -> dict[str, float]:
    """{lesson: maximum} from `--max 100` (every column) and `--max 03=50`. Raises UserError."""
    maxima: dict[str, float] = {}
    for option in sorted(options, key=lambda option: "=" in option):  # one column comes after all
        name, equals, number = option.rpartition("=")
        value = points_in_cell(number)
        named = lesson_named(marks, name) if equals else None
        if value is None or (equals and named not in columns):
            raise UserError(
                f"--max {option!r}: give a positive number, or LESSON=NUMBER with one of {', '.join(columns)}."
            )
        maxima |= dict.fromkeys(columns if named is None else [named], value)
    return maxima


def scaled_to(maxima: Mapping[str, float], marks: Marks, columns: Mapping[str, str]) -> Marks:
    """The marks with each column's maximum as in `maxima`, and a sentence for each column that this changes."""
    factors = {
        lesson: maximum / marks.possible[lesson]
        for lesson, maximum in maxima.items()
        if lesson in columns and marks.possible.get(lesson) and maximum != marks.possible[lesson]
    }
    if not factors:
        return marks
    remarks = tuple(
        f"{columns[lesson]}: scores out of {points_text(marks.possible[lesson])} are scaled to the platform's maximum "
        f"of {points_text(maxima[lesson])}."
        for lesson in factors
    )
    return replace(
        marks,
        scores={
            student: {lesson: score * factors.get(lesson, 1) for lesson, score in scores.items()}
            for student, scores in marks.scores.items()
        },
        possible={
            lesson: maxima[lesson] if lesson in factors else highest for lesson, highest in marks.possible.items()
        },
        remarks=(*marks.remarks, *remarks),
    )
