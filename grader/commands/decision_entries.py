"""What the commands about decisions read: one entry from the command line, or one per line of a CSV file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path

from grader.errors import UserError

COLUMNS = {
    "student": ("student", "name", "full name", "student name"),
    "row": ("row", "lesson", "gradient"),
    "points": ("points", "score"),
    "until": ("until", "due", "extension", "extended to"),
    "text": ("text", "because", "reason", "comment"),
}
"""The possible names of each column; the documentation uses the first."""
MOST_BYTES = 16 << 20
END_OF_DAY = time(23, 59)


@dataclass(frozen=True)
class Entry:
    """A decision as somebody wrote it. `place` begins a sentence about it: "extensions.csv, line 3: ", or nothing."""

    student: str
    row: str = ""
    points: str = ""
    until: str = ""
    text: str = ""
    place: str = ""


def entries_from(path: Path, needed: Sequence[str], defaults: Mapping[str, str]) -> list[Entry]:
    """The entries of a CSV file; `defaults` fill empty cells. Raises UserError, with the line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MOST_BYTES:
        raise UserError(f"{path} has {len(data):,} bytes; at most {MOST_BYTES:,} are read.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")  # as spreadsheets write it
    delimiter = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    lines = [(reader.line_num, line) for line in reader if any(cell.strip() for cell in line)]
    if not lines:
        raise UserError(f"{path} is empty: expected the columns {', '.join(needed)}.")
    head = [cell.strip().casefold() for cell in lines[0][1]]
    places = {
        column: next(head.index(name) for name in names if name in head)
        for column, names in COLUMNS.items()
        if any(name in head for name in names)
    }
    missing = [column for column in needed if column not in places and column not in defaults]
    if missing:
        found = ", ".join(head)
        raise UserError(f"{path} has no column {' and no column '.join(missing)}; its first line has {found}.")
    entries = []
    for number, line in lines[1:]:
        cells = {column: line[place].strip() for column, place in places.items() if place < len(line)}
        filled = {**defaults, **{column: cell for column, cell in cells.items() if cell}}
        empty = [column for column in needed if not filled.get(column)]
        if empty:
            raise UserError(f"{path}, line {number}: {' and '.join(empty)} is empty; nothing was stored.")
        entries.append(Entry(**filled, place=f"{path}, line {number}: "))
    return entries


def points_in(text: str, place: str) -> float:
    """A number of points from 0 up. Raises UserError."""
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        points = math.nan
    if not 0 <= points < math.inf:
        raise UserError(f"{place}{text!r} is no number of points; expected a number from 0 up, such as 1 or 2.5.")
    return points


def date_in(text: str, due: datetime | None, place: str) -> datetime:
    """A date and time. A time or a time zone that is not given is that of `due`, else 23:59 in this machine's zone.

    Raises UserError.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UserError(
            f'{place}{text!r} is no date; expected one such as "2026-12-01 23:59", or 2026-12-01 for the usual time.'
        ) from None
    if len(text) <= len("2026-12-01"):
        found = datetime.combine(found, END_OF_DAY if due is None else due.time())
    if found.tzinfo is not None:
        return found
    return found.replace(tzinfo=due.tzinfo) if due is not None else found.astimezone()
