"""CSV files as people and spreadsheets save them: commas, semicolons or tabs, in UTF-8, UTF-16 or Windows' encoding."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.errors import UserError

MAX_TABLE_BYTES = 16 << 20
# a cell may name many files of a student; Python's own limit would stop the class
csv.field_size_limit(MAX_TABLE_BYTES)
DECLARED_SEPARATOR = re.compile(r'\s*"?sep=([^\w\s"]|\t)"?[ \t,;]*(?:\r\n?|\n|$)', re.IGNORECASE)
"""Excel's own first line, such as `sep=;`. It is no line of the table."""
Score = Callable[[Sequence[str]], int]
"""How many of a header's columns are known: it decides between separators."""


class CsvTable(NamedTuple):
    """A file's first line, with spaces removed, and (number of the line, its cells) of every other line with text."""

    header: tuple[str, ...]
    lines: list[tuple[int, list[str]]]


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


def read_table(path: Path, what: str, known: Score, text: str | None = None) -> CsvTable:
    """The table in a file, whose `text` may be given, with the separator that gives the first line the most `known`
    columns. Raises UserError.
    """
    text = read_text_of(path, what) if text is None else text
    declared, ways = DECLARED_SEPARATOR.match(text), list[list[tuple[int, list[str]]]]()
    if declared is not None:
        text = f"\n{text[declared.end() :]}"  # lines keep their numbers
    try:
        for mark in dict.fromkeys(f"{declared[1] if declared else ''},;\t"):
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
            ways.append([(reader.line_num, line) for line in reader if any(cell.strip() for cell in line)])
    except csv.Error as failure:
        raise UserError(f"{path} is no CSV file ({failure}): save {what} as CSV.") from failure
    lines = max(ways, key=lambda way: (known(way[0][1]), len(way[0][1])) if way else (0, 0))
    return CsvTable(tuple(cell.strip() for cell in lines[0][1]), lines[1:]) if lines else CsvTable((), [])


def found_columns(header: Sequence[str]) -> str:
    """What a file's first line has, for a sentence."""
    return f"its first line has {', '.join(header[:8])}" if any(header) else "it is empty"
