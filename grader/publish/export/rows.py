"""What every format says about the parts of a submission that are not rows."""

from __future__ import annotations

from collections.abc import Iterator

from grader.publish.inert import inert
from grader.publish.view import RowView
from grader.results import SubmissionResult


def counted_rows(results: SubmissionResult) -> Iterator[tuple[str, RowView]]:
    """(lesson, row) of each row that counts, answers to questions included."""
    for lesson in results.lessons:
        rows = {row.name: row for row in lesson.rows}
        yield from ((lesson.name, RowView(row, others=rows)) for row in lesson.rows if row.counted)


def explanation_text(line: RowView) -> str:
    return inert("\n".join(line.explanation))


def not_graded(results: SubmissionResult) -> Iterator[tuple[str, str]]:
    """(what, why) for a submission or a lesson of it that was not graded."""
    if results.status != "graded":
        yield "The submission", inert(results.message or results.status)
        return
    for lesson in results.lessons:
        if lesson.status != "graded":
            yield lesson.name, inert(lesson.message or lesson.status)
