"""A row of results.json as every format shows it: status, message and place, all of it inert text."""

from __future__ import annotations

from collections.abc import Iterator

from grader.publish.inert import inert
from grader.results import LessonResult, Row, SubmissionResult
from grader.results.wording import verdict_of_row


def row_message(row: Row) -> str:
    """The message for the student, "" where there is none."""
    return inert((row.mistake.message if row.mistake else row.message) or "")


def row_place(row: Row) -> str:
    """The row's file and line in words, "" where it has none."""
    if not row.file:
        return ""
    return inert(row.file) + (f", line {row.line}" if row.line else "")


def lecture_line(row: Row) -> str:
    """The lecture's `cmp` in its own words, "" for a check or a gradient that did not run."""
    if row.exact is None:
        return ""
    maxdiff = "none" if row.maxdiff is None else f"{row.maxdiff:.6g}"
    return f"exact: {row.exact!s:5} | approximate: {row.approximate!s:5} | maxdiff: {maxdiff}"


def explanation_lines(row: Row) -> Iterator[str]:
    """The row in lines of plain text."""
    yield verdict_of_row(row).capitalize() + (f" ({row_place(row)})" if row_place(row) else "")
    if row_message(row):
        yield row_message(row)
    if row.status == "passed" and row.chain == "failed":
        above = ", ".join(row.because_of)
        yield "Your line is right; in your own chain it is red" + (f" because of {above} above it." if above else ".")
    if lecture_line(row):
        yield lecture_line(row)


def lesson_number(lesson: LessonResult) -> str:
    """The lesson's number, as in 03."""
    return lesson.name.partition("_")[0]


def what_counts(results: SubmissionResult) -> str:
    """A sentence where a lesson or some of its rows are not counted, else ""."""
    return inert(f"Counted: {results.counted_parts()}.") if results.is_partly_counted else ""


def not_graded(results: SubmissionResult) -> Iterator[tuple[str, str]]:
    """(what, why) for a submission or a lesson of it that was not graded."""
    if results.status != "graded":
        yield "The submission", inert(results.message or results.status)
        return
    for lesson in results.lessons:
        if lesson.status != "graded":
            yield lesson.name, inert(lesson.message or lesson.status)
