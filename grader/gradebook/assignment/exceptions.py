"""Extensions and excused students as a CSV file: each line a decision about one student. docs/assignments.md."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import in_force
from grader.gradebook.assignment.rows import names_of_lesson
from grader.gradebook.records import Decision
from grader.intake.submissions.roster import csv_lines

STUDENT = ("student", "name", "id", "email")
"""The possible names of the column that says who it is."""
COLUMNS = ("until", "excused", "rows", "because")
YES, NO = ("yes", "y", "x", "1", "true"), ("", "no", "n", "0", "false")


class ExceptionsError(UserError):
    """A file of extensions that cannot be used; the text is one sentence."""


@dataclass(frozen=True)
class ExceptionLine:
    """A line of the file: who gets which due date, or is excused, for what (None: the whole assignment) and why."""

    number: int
    student: str
    until: datetime | None
    row: str | None
    because: str


def exceptions_in(text: str, path: Path, assignment: Assignment) -> list[ExceptionLine]:
    """The lines of the file at `path` with this text. Raises ExceptionsError, in one sentence with the line."""
    try:
        lines = csv_lines(text)
    except csv.Error as error:
        raise ExceptionsError(f"{path} is no CSV file ({error}): save the extensions as CSV.") from error
    header = [cell.strip().lower() for cell in lines[0]] if lines else []
    who = next((header.index(name) for name in STUDENT if name in header), None)
    known = [name for name in ("until", "excused") if name in header]
    if who is None or not known:
        found = f"its first line has {', '.join(header[:8])}" if any(header) else "it is empty"
        raise ExceptionsError(
            f"{path} needs a first line that names its columns: student, and until or excused; {found}."
        )
    found_lines = []
    for number, cells in enumerate(lines[1:], 2):
        cells = [cell.strip() for cell in cells] + [""] * (len(header) - len(cells))
        cell = {name: cells[header.index(name)] for name in COLUMNS if name in header}
        place = f"{path}, line {number}"
        if not cells[who]:
            raise ExceptionsError(f"{place}: the student is missing.")
        until = due_date(cell.get("until", ""), place, assignment)
        excused = cell.get("excused", "").lower()
        if excused not in (*YES, *NO):
            raise ExceptionsError(f"{place}: excused is {excused!r}; expected yes or no.")
        if (until is None) == (excused in NO):
            raise ExceptionsError(f"{place}: expected either a date in `until`, or yes in `excused`.")
        row = row_named(cell.get("rows", ""), place, assignment.rows)
        found_lines.append(ExceptionLine(number, cells[who], until, row, cell.get("because", "")))
    return found_lines


def due_date(cell: str, place: str, assignment: Assignment) -> datetime | None:
    """A date, perhaps with a time and a time zone; those that are not given are the assignment's."""
    if not cell:
        return None
    if assignment.due is None:
        raise ExceptionsError(
            f"{place}: the assignment {assignment.title!r} has no due date that `until` could extend."
        )
    try:
        found = datetime.fromisoformat(cell)
    except ValueError:
        raise ExceptionsError(
            f"{place}: until is {cell!r}; expected a date such as 2026-11-25, or 2026-11-25 18:00, or "
            "2026-11-25T18:00:00+01:00."
        ) from None
    if len(cell) <= len("2026-11-25"):
        found = datetime.combine(found, assignment.due.timetz())
    return found if found.tzinfo is not None else found.replace(tzinfo=assignment.due.tzinfo)


def row_named(cell: str, place: str, rows: Mapping[str, Mapping[str, float]]) -> str | None:
    """A lesson or a row as in Decision.row; None for an empty cell."""
    if not cell:
        return None
    lesson_name, dot, row = cell.partition(".")
    for lesson, own in rows.items():
        if lesson_name in names_of_lesson(lesson) and (not dot or row in own):
            return f"{lesson}.{row}" if dot else lesson
    raise ExceptionsError(f"{place}: the assignment has no row or lesson {cell!r}; it has {', '.join(rows)}.")


def decisions_of(
    lines: Iterable[ExceptionLine], find: Callable[[str], str | None], author: str, now: datetime
) -> tuple[list[Decision], list[ExceptionLine]]:
    """(the decisions of the lines, the lines whose student is not known). `find` gives a student's name in results."""
    found, unknown = [], []
    for line in lines:
        student = find(line.student)
        if student is None:
            unknown.append(line)
        elif line.until is not None:
            found.append(Decision(0, student, "extension", author, now, line.row, None, line.until, line.because))
        else:
            found.append(Decision(0, student, "excuse", author, now, line.row, text=line.because))
    return found, unknown


def not_yet_made(decisions: Sequence[Decision], made: Iterable[Decision]) -> list[Decision]:
    """Those of `decisions` that are not in force: the same file, read again, adds nothing."""
    present = {what_is_decided(decision) for decision in in_force(made)}
    return [decision for decision in decisions if what_is_decided(decision) not in present]


def what_is_decided(decision: Decision) -> tuple[object, ...]:
    """A decision without its author and time."""
    return decision.student, decision.kind, decision.row, decision.until, decision.text
