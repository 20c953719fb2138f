"""Decisions as a CSV file, a line each: for `grade run --extensions`, and for `--from` of `grade extend` and others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path
from types import MappingProxyType

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.lookup import find_row
from grader.gradebook.records import Decision, DecisionKind
from grader.intake.submissions.tables import found_columns, read_table

DECISION_FILE_COLUMNS = {
    "student": ("student", "name", "id", "email", "full name", "student name"),
    "row": ("rows", "row", "lesson", "gradient"),
    "points": ("points", "score"),
    "until": ("until", "due", "extension", "extended to"),
    "excused": ("excused",),
    "text": ("because", "text", "reason", "comment"),
}
"""The possible names of each column; the documentation and messages use the first."""
YES_OR_NO = {"yes": "yes", "y": "yes", "x": "yes", "1": "yes", "true": "yes"}
YES_OR_NO |= dict.fromkeys(("", "no", "n", "0", "false"), "no")
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


def entries_from(
    path: Path, needed: Sequence[str], defaults: Mapping[str, str] = MappingProxyType({})
) -> list[DecisionEntry]:
    """The entries of a CSV file; `defaults` fill empty cells. Raises UserError, with the line."""

    def known(header: Sequence[str]) -> int:
        names = {name for each in DECISION_FILE_COLUMNS.values() for name in each}
        return sum(cell.strip().casefold() in names for cell in header)

    header, lines = read_table(path, "the decisions", known)
    plain, entries = [cell.casefold() for cell in header], list[DecisionEntry]()
    columns = {column: [name for name in names if name in plain] for column, names in DECISION_FILE_COLUMNS.items()}
    places = {column: plain.index(names[0]) for column, names in columns.items() if names}
    if any(column not in places and column not in defaults for column in needed):
        wanted = ", ".join(DECISION_FILE_COLUMNS[column][0] for column in needed)
        raise UserError(f"{path} needs a first line that names its columns: {wanted}; {found_columns(header)}.")
    for number, line in lines:
        place = f"{path}, line {number}: "
        cells = {column: line[at].strip() for column, at in places.items() if at < len(line)}
        if "excused" in places:
            cell = cells.get("excused", "")
            if cell.lower() not in YES_OR_NO:
                raise UserError(f"{place}excused is {cell!r}; expected yes or no.")
            cells["excused"] = YES_OR_NO[cell.lower()]
        filled = {**defaults, **{column: cell for column, cell in cells.items() if cell}}
        unneeded = "until" if filled.get("excused") == "yes" else ""
        empty = [column for column in needed if not filled.get(column) and column != unneeded]
        if empty:
            words = " and ".join(DECISION_FILE_COLUMNS[column][0] for column in empty)
            raise UserError(f"{place}{words} is empty; nothing was stored.")
        entries.append(DecisionEntry(**filled, place=place))
    return entries


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

    Without `due`, they are this machine's zone and 23:59. Raises UserError.
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


def extensions_of(
    entries: Iterable[DecisionEntry],
    find: Callable[[str], str | None],
    assignment: Assignment,
    author: str,
    now: datetime,
) -> tuple[list[Decision], list[DecisionEntry]]:
    """(the extensions and excuses, the entries whose student is not known). `find` gives a student's name in results.

    Raises UserError, with the line.
    """
    found, unknown, due = list[Decision](), list[DecisionEntry](), assignment.due
    for entry in entries:
        if bool(entry.until) == (entry.excused == "yes"):
            raise UserError(f"{entry.place}expected either a date in `until`, or yes in `excused`.")
        if entry.until and due is None:
            raise UserError(
                f"{entry.place}the assignment {assignment.title!r} has no due date that `until` could extend."
            )
        until = date_in(entry.until, due, entry.place) if entry.until else None
        row = find_row(entry.row, assignment.rows, f"{entry.place}the assignment") if entry.row else None
        student = find(entry.student)
        if student is None:
            unknown.append(entry)
        else:
            kind: DecisionKind = "excuse" if until is None else "extension"
            found.append(Decision(0, student, kind, author, now, row, None, until, entry.text))
    return found, unknown
