"""Decisions as a CSV file, a line each: for `grade run --extensions`, and for `--from` of `grade extend` and others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.rows import names_of_lesson
from grader.gradebook.records import Decision, DecisionKind
from grader.intake.submissions.tables import found_columns, parse_table, read_text_of

DECISION_FILE_COLUMNS = {
    "student": ("student", "name", "id", "email", "full name", "student name"),
    "row": ("rows", "row", "lesson", "gradient"),
    "points": ("points", "score"),
    "until": ("until", "due", "extension", "extended to"),
    "excused": ("excused",),
    "text": ("because", "text", "reason", "comment"),
}
"""The possible names of each column; the documentation and messages use the first."""
YES, NO = ("yes", "y", "x", "1", "true"), ("", "no", "n", "0", "false")
END_OF_DAY = time(23, 59)


@dataclass(frozen=True)
class DecisionEntry:
    """A decision as somebody wrote it. `place` begins a sentence about it: "extensions.csv, line 3: ", or nothing.

    `excused` is "yes" or "no"; "" where the file has no such column.
    """

    student: str
    row: str = ""
    points: str = ""
    until: str = ""
    excused: str = ""
    text: str = ""
    place: str = ""


def entries_from(path: Path, needed: Sequence[str], defaults: Mapping[str, str] | None = None) -> list[DecisionEntry]:
    """The entries of a CSV file; `defaults` fill empty cells. Raises UserError, with the line."""
    return parse_entries(read_text_of(path, "the decisions"), path, needed, defaults or {})


def parse_entries(text: str, path: Path, needed: Sequence[str], defaults: Mapping[str, str]) -> list[DecisionEntry]:
    """The same for the text of the file at `path`."""
    header, lines = parse_table(text, path, "the decisions", known_columns)
    places = {
        column: at for column, names in DECISION_FILE_COLUMNS.items() if (at := place_of(names, header)) is not None
    }
    if any(column not in places and column not in defaults for column in needed):
        columns = ", ".join(DECISION_FILE_COLUMNS[column][0] for column in needed)
        raise UserError(f"{path} needs a first line that names its columns: {columns}; {found_columns(header)}.")
    entries = []
    for number, line in lines:
        place = f"{path}, line {number}: "
        cells = {column: line[at].strip() for column, at in places.items() if at < len(line)}
        if "excused" in places:
            cells["excused"] = yes_or_no(cells.get("excused", ""), place)
        filled = {**defaults, **{column: cell for column, cell in cells.items() if cell}}
        unneeded = {"until"} if filled.get("excused") == "yes" else set[str]()
        empty = [
            DECISION_FILE_COLUMNS[column][0] for column in needed if not filled.get(column) and column not in unneeded
        ]
        if empty:
            raise UserError(f"{place}{' and '.join(empty)} is empty; nothing was stored.")
        entries.append(DecisionEntry(**filled, place=place))
    return entries


def place_of(names: Sequence[str], header: Sequence[str]) -> int | None:
    plain = [cell.casefold() for cell in header]
    return next((plain.index(name) for name in names if name in plain), None)


def known_columns(header: Sequence[str]) -> int:
    known = {name for names in DECISION_FILE_COLUMNS.values() for name in names}
    return sum(cell.strip().casefold() in known for cell in header)


def yes_or_no(cell: str, place: str) -> str:
    if cell.lower() not in (*YES, *NO):
        raise UserError(f"{place}excused is {cell!r}; expected yes or no.")
    return "yes" if cell.lower() in YES else "no"


def points_in(text: str) -> float:
    """A number of points from 0 up. Raises UserError."""
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        points = math.nan
    if not 0 <= points < math.inf:
        raise UserError(f"{text!r} is no number of points; expected a number from 0 up, such as 1 or 2.5.")
    return points


def date_in(text: str, due: datetime | None, place: str) -> datetime:
    """A date and time in the zone of `due`. A time of day that is not given is that of `due`.

    Without `due`, they are this machine's zone and 23:59.

    Raises UserError.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UserError(
            f"{place}{text!r} is no date; expected one such as 2026-11-25, or 2026-11-25 18:00, or "
            "2026-11-25T18:00:00+01:00."
        ) from None
    if len(text) <= len("2026-12-01"):
        found = datetime.combine(found, END_OF_DAY if due is None else due.time())
    if due is None:
        return found.astimezone() if found.tzinfo is None else found
    return found.replace(tzinfo=due.tzinfo) if found.tzinfo is None else found.astimezone(due.tzinfo)


def decisions_of(
    entries: Iterable[DecisionEntry],
    find: Callable[[str], str | None],
    assignment: Assignment,
    author: str,
    now: datetime,
) -> tuple[list[Decision], list[DecisionEntry]]:
    """(the decisions of the entries, the entries whose student is not known). `find` gives a student's name in results.

    Raises UserError, with the line.
    """
    found, unknown = [], []
    for entry in entries:
        if bool(entry.until) == (entry.excused == "yes"):
            raise UserError(f"{entry.place}expected either a date in `until`, or yes in `excused`.")
        if entry.until and assignment.due is None:
            raise UserError(
                f"{entry.place}the assignment {assignment.title!r} has no due date that `until` could extend."
            )
        until = date_in(entry.until, assignment.due, entry.place) if entry.until else None
        row = row_named(entry.row, entry.place, assignment.rows)
        student = find(entry.student)
        if student is None:
            unknown.append(entry)
        else:
            kind: DecisionKind = "excuse" if until is None else "extension"
            found.append(Decision(0, student, kind, author, now, row, None, until, entry.text))
    return found, unknown


def row_named(cell: str, place: str, rows: Mapping[str, Mapping[str, float]]) -> str | None:
    """A lesson or a row as in Decision.row; None for an empty cell. Raises UserError."""
    if not cell:
        return None
    lesson_name, dot, row = cell.partition(".")
    for lesson, own in rows.items():
        if lesson_name in names_of_lesson(lesson) and (not dot or row in own):
            return f"{lesson}.{row}" if dot else lesson
    raise UserError(f"{place}the assignment has no row or lesson {cell!r}; it has {', '.join(rows)}.")
