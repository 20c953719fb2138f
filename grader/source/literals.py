"""Numbers in source text."""

from __future__ import annotations

from typing import NamedTuple


class WrittenNumber(NamedTuple):
    """A number as a literal: its value, the file as messages show it, and the line, counted from 1."""

    value: float
    file: str
    line: int
