"""The CSV file of `grade run --extensions`: students with a due date of their own, and students who are excused."""

from __future__ import annotations

from datetime import UTC, datetime, time
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.lookup import ClassNames, UnknownStudent, find_row
from grader.gradebook.records import Decision, DecisionKind
from grader.intake.submissions.tables import first_cell, read_table

EXTENSION_COLUMNS = {
    "student": ("student", "name", "id", "email", "full name", "student name"),
    "row": ("rows", "row", "lesson", "gradient"),
    "until": ("until", "due", "extension", "extended to"),
    "excused": ("excused",),
    "text": ("because", "text", "reason", "comment"),
}
"""The possible names of each column; the documentation and messages use the first."""
YES, NO = ("yes", "y", "x", "1", "true"), ("", "no", "n", "0", "false")
END_OF_DAY = time(23, 59)


def read_extensions(
    path: Path, assignment: Assignment, names: ClassNames, author: str
) -> tuple[list[Decision], list[str]]:
    """(the extensions and excuses in a file, a sentence for each line about somebody who is not a student).

    Raises UserError, with the line.
    """
    table = read_table(path, "the extensions", {name for each in EXTENSION_COLUMNS.values() for name in each})
    if {column.casefold() for column in table.columns}.isdisjoint(EXTENSION_COLUMNS["student"]):
        raise table.without("student")
    found, ignored, now = list[Decision](), list[str](), datetime.now(UTC)
    for line, written in table.rows:
        cells = {column: first_cell(written, names) for column, names in EXTENSION_COLUMNS.items()}
        try:
            row, until = what_it_says(cells, assignment)
            student = names.find(cells["student"])
        except UnknownStudent:
            ignored.append(
                f"{path}, {line}: no student {cells['student']!r} in this run, gradebook or roster; the line is "
                "ignored. Use the name in grades.csv, or give --roster for ids and e-mail addresses."
            )
        except UserError as error:
            raise UserError(f"{path}, {line}: {error}") from error
        else:
            kind: DecisionKind = "excuse" if until is None else "extension"
            found.append(Decision(0, student, kind, author, now, row, None, until, cells["text"]))
    return found, ignored


def what_it_says(cells: dict[str, str], assignment: Assignment) -> tuple[str | None, datetime | None]:
    """(the part of the work that a line is about, its new due date or None for an excuse). Raises UserError."""
    excused, until = cells["excused"].lower(), cells["until"]
    if not cells["student"]:
        raise UserError("student is empty; nothing was stored.")
    if excused not in (*YES, *NO):
        raise UserError(f"excused is {cells['excused']!r}; expected yes or no.")
    if bool(until) == (excused in YES):
        raise UserError("expected either a date in `until`, or yes in `excused`.")
    if until and assignment.due is None:
        raise UserError(f"the assignment {assignment.title!r} has no due date that `until` could extend.")
    row = find_row(cells["row"], assignment.rows, "the assignment") if cells["row"] else None
    return row, date_in(until, assignment.due) if until else None


def date_in(text: str, due: datetime | None) -> datetime:
    """A date and time in the zone of `due`. A time of day that is not given is that of `due`.

    Without `due`, they are this machine's zone and 23:59. Raises UserError.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UserError(
            f"{text!r} is no date; expected one such as 2026-11-25, or 2026-11-25 18:00, or 2026-11-25T18:00:00+01:00."
        ) from None
    if len(text) <= len("2026-12-01"):
        found = datetime.combine(found, END_OF_DAY if due is None else due.time())
    if due is None:
        return found.astimezone() if found.tzinfo is None else found
    return found.replace(tzinfo=due.tzinfo) if found.tzinfo is None else found.astimezone(due.tzinfo)
