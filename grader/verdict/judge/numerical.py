"""Numerical differentiation: writes into a student's rows what was seen while they ran, and takes the points where the
course gives none for it.

A row that is right is run again under observation (grader/calling/numerical_watch.py), in the student's own process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.calling.answer import Seen
from grader.lesson.lesson import Lesson
from grader.results import NumericalUse, Row

CONSEQUENCE = {
    True: ". This course gives points for it.",
    False: ", so this gradient is not counted. Write it by the chain rule: upstream gradient times local derivative.",
}


def functions_by_row(lesson: Lesson) -> dict[str, str]:
    """{row: the function or method whose result it is about}.

    Of rows that are not gradients, those about the function of a gradient, and those about a function that lesson.toml
    names for this row or for another one.
    """
    functions = {item.function for item in lesson.gradients} | {item.differentiates for item in lesson.items}
    joint = lesson.joint
    rows = {}
    for item in lesson.items:
        function = item.differentiates or (item.function if item.function in functions else "")
        if function and (joint is None or function != joint.name or item.name in joint.returns):
            rows[item.name] = function
    return rows


def what_was_seen(seen: Seen) -> str:
    """What a step did while it ran, in the words of a report."""
    if seen.operator:
        return f"While it ran, it evaluated `{seen.operator}` {seen.times:,} times, at inputs a small step apart"
    results = "1 complex result" if seen.times == 1 else f"{seen.times:,} complex results"
    return f"While it ran, it computed with complex numbers ({results})"


def mark_rows(lesson: Lesson, file: str, rows: Sequence[Row], seen: Mapping[str, Seen]) -> None:
    """Write into the rows of a `file` that passed what was seen while they ran, by row or by function.

    Where the course gives no points for numerical differentiation, such a row is `forbidden`.
    """
    counts = lesson.settings.numerical_differentiation == "points"
    functions = functions_by_row(lesson)
    for row in rows:
        found = seen.get(row.name) or seen.get(functions.get(row.name, ""))
        if found is None or row.status != "passed":
            continue
        observed = what_was_seen(found)
        message = f"{observed} (numerical differentiation){CONSEQUENCE[counts]}"
        row.numerical_differentiation = NumericalUse(found.method, message, file, None, observed)
        if counts:
            row.message = f"{row.message} {message}" if row.message else message
        else:
            row.status, row.points, row.message, row.mistake = "forbidden", 0, message, None
