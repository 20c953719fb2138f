"""The student's own lines around a place in their file, as a report quotes them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

EXCERPT_LINES, EXCERPT_WIDTH = 12, 160
MAX_EXCERPT_FILE_CHARACTERS = 300_000
"""Of a longer file nothing is quoted: a lesson's file has a few thousand."""
MAX_LOOKED_AT = 400
"""Lines after a function's first one in which its excerpt is searched: its docstring may be long."""


class Lines:
    """A student's file as lines, as Python counts them. It is split once for all the rows of a lesson."""

    def __init__(self, source: str) -> None:
        self.texts = re.split(r"\r\n|\r|\n", source) if len(source) <= MAX_EXCERPT_FILE_CHARACTERS else []
        self.starts: list[int] = []  # of functions, in order
        self.named: dict[str, int] = {}
        for n, text in enumerate(self.texts, 1):
            if text.startswith("def") and re.match(r"def\b", text):
                self.starts.append(n)
                if called := re.match(r"def\s+(\w+)\s*\(", text):
                    self.named.setdefault(called[1], n)


def excerpt(source: str | Lines, name: str, line: int | None) -> tuple[tuple[int, str], ...]:
    """The student's own lines around `line`, numbered: their function, or a few lines before and after."""
    lines = Lines(source) if isinstance(source, str) else source
    if line is None:
        line = lines.named.get(name)
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
