"""The student's own lines around a place in their file, as a report quotes them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

EXCERPT_LINES, EXCERPT_WIDTH = 12, 160
MAX_EXCERPT_FILE_CHARACTERS = 300_000
"""Of a longer file nothing is quoted: a lesson's file has a few thousand."""
MAX_LOOKED_AT = 400
"""Lines after a function's first one in which its excerpt is searched: its docstring may be long."""


@dataclass(eq=False)
class Lines:
    """A student's file as lines, as Python counts them. It is split once for all the rows of a lesson."""

    source: str

    @cached_property
    def texts(self) -> list[str]:
        return re.split(r"\r\n|\r|\n", self.source) if len(self.source) <= MAX_EXCERPT_FILE_CHARACTERS else []

    @cached_property
    def starts(self) -> list[int]:
        """The lines at which functions start."""
        return [n for n, text in enumerate(self.texts, 1) if text.startswith("def") and re.match(r"def\b", text)]

    def start_of(self, name: str) -> int | None:
        """The line at which a function starts."""
        return next((n for n in self.starts if re.match(rf"def\s+{name}\s*\(", self.texts[n - 1])), None)


def excerpt(lines: Lines, name: str, line: int | None) -> tuple[tuple[int, str], ...]:
    """The student's own lines around `line`, numbered: their function, or a few lines before and after."""
    if line is None:
        line = lines.start_of(name)
    if line is None or line > len(lines.texts):
        return ()
    place = bisect_right(lines.starts, line)
    function = without_docstring(lines.texts, lines.starts[place - 1] if place else line)
    return function if line in dict(function) else without_docstring(lines.texts, max(1, line - 3))


def without_docstring(lines: Sequence[str], start: int) -> tuple[tuple[int, str], ...]:
    """Lines from number `start` on, up to the next function; the docstring is the stub's, not the student's."""
    excerpted: list[tuple[int, str]] = []
    quotes = ""  # those that end the docstring we are in
    for n, text in enumerate(lines[start - 1 : start - 1 + MAX_LOOKED_AT], start):
        if quotes:
            quotes = "" if quotes in text else quotes
        elif excerpted and excerpted[-1][1].rstrip().endswith(":") and (opened := re.match(r"\s*(\"\"\"|''')", text)):
            quotes = "" if text.count(opened[1]) > 1 else opened[1]
        elif len(excerpted) == EXCERPT_LINES or (excerpted and re.match(r"(def|class|@)\b|# %%", text)):
            break
        else:
            excerpted.append((n, text if len(text) <= EXCERPT_WIDTH else text[:EXCERPT_WIDTH] + " …"))
    while len(excerpted) > 1 and not excerpted[-1][1].strip():
        excerpted.pop()
    return tuple(excerpted)
