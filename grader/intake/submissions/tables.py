"""CSV files as people and spreadsheets save them: commas, semicolons or tabs, in UTF-8, UTF-16 or Windows' encoding."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UserError

MAX_TABLE_BYTES = 16 << 20
# a cell may name many files of a student; Python's own limit would stop the class
csv.field_size_limit(MAX_TABLE_BYTES)
DECLARED_SEPARATOR = re.compile(r'\s*"?sep=([^\w\s"]|\t)"?[ \t,;]*(?:\r\n?|\n|$)', re.IGNORECASE)
"""Excel's own first line, such as `sep=;`. It is no line of the table."""


@dataclass(frozen=True)
class CsvTable:
    """A file's `columns` as it writes them, and (number of the line, its cells) of every other line with text."""

    path: Path
    columns: tuple[str, ...]
    lines: list[tuple[int, list[str]]]

    @property
    def rows(self) -> list[tuple[str, dict[str, str]]]:
        """(the line in words, {column in small letters: cell without spaces around it}) of every line."""
        names = [column.casefold() for column in self.columns]
        return [
            (f"line {number}", dict(zip(names, map(str.strip, cells), strict=False))) for number, cells in self.lines
        ]

    def without(self, needed: str) -> UserError:
        """The error of a file that does not have the `needed` columns."""
        found = f"its first line has {', '.join(self.columns[:8])}" if any(self.columns) else "it is empty"
        return UserError(f"{self.path} needs a first line that names its columns: {needed}; {found}.")


def read_text_of(path: Path, what: str) -> str:
    """The text of a file that should be `what`, such as "the class's list". Raises UserError."""
    try:
        if path.stat().st_size > MAX_TABLE_BYTES:
            raise UserError(f"{path} has more than {MAX_TABLE_BYTES:,} bytes: give {what} as CSV.")
        data = path.read_bytes()
    except OSError as failure:
        raise UserError(f"{path} cannot be read: {failure.strerror}. Give {what} as CSV.") from failure
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def read_table(path: Path, what: str, known: Collection[str], text: str | None = None) -> CsvTable:
    """The table in a file, whose `text` may be given, with the separator that gives the first line the most `known`
    columns, in small letters. Raises UserError.
    """
    text = read_text_of(path, what) if text is None else text
    declared, ways = DECLARED_SEPARATOR.match(text), list[list[tuple[int, list[str]]]]()
    if declared is not None:
        text = f"\n{text[declared.end() :]}"  # lines keep their numbers
    try:
        for mark in dict.fromkeys(f"{declared[1] if declared else ''},;\t"):
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
            lines = [(reader.line_num, line) for line in reader if any(cell.strip() for cell in line)]
            ways.append(lines or [(0, [])])
    except csv.Error as failure:
        raise UserError(f"{path} is no CSV file ({failure}): save {what} as CSV.") from failure
    (_, header), *rest = max(
        ways, key=lambda way: (sum(c.strip().casefold() in known for c in way[0][1]), len(way[0][1]))
    )
    return CsvTable(path, tuple(cell.strip() for cell in header), rest)


def first_cell(row: Mapping[str, str], names: Iterable[str]) -> str:
    """The first cell with text in one of the columns that are called so; "" where there is none."""
    return next(filter(None, (row.get(name, "") for name in names)), "")
