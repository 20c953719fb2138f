"""The student's own lines around a place in their file, as a report quotes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

EXCERPT_LINES, EXCERPT_WIDTH = 12, 160
MAX_EXCERPT_FILE_CHARACTERS = 300_000
"""Of a longer file nothing is quoted: a lesson's file has a few thousand."""
MAX_LOOKED_AT = 400
"""Lines after a function's first one in which its excerpt is searched: its docstring may be long."""


class Lines:
    """A student's file as lines, as Python counts them. It is split once for all the rows of a lesson."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def texts(self) -> list[str]:
        return re.split(r"\r\n|\r|\n", self.source) if len(self.source) <= MAX_EXCERPT_FILE_CHARACTERS else []

    @cached_property
    def functions(self) -> dict[int, str]:
        """{the line at which a function starts: its name}"""
        starts = ((n, text) for n, text in enumerate(self.texts, 1) if text.startswith("def"))
        return {n: match[1] for n, text in starts if (match := re.match(r"def\s+(\w+)", text))}


def excerpt(lines: Lines, name: str, line: int | None) -> tuple[tuple[int, str], ...]:
    """The student's own lines around `line`, numbered: their function, or a few lines before and after."""
    line = line or next((start for start, own in lines.functions.items() if own == name), None)
    if line is None or line > len(lines.texts):
        return ()
    function = without_docstring(lines.texts, max((start for start in lines.functions if start <= line), default=line))
    return function if line in dict(function) else without_docstring(lines.texts, max(1, line - 3))


def without_docstring(
    lines: Sequence[str], start: int, most: int = EXCERPT_LINES, width: int = EXCERPT_WIDTH
) -> tuple[tuple[int, str], ...]:
    """Lines from number `start` on, up to the next function; the docstring is the stub's, not the student's."""
    excerpted: list[tuple[int, str]] = []
    quotes = ""  # those that end the docstring we are in
    for n, text in enumerate(lines[start - 1 : start - 1 + MAX_LOOKED_AT], start):
        if quotes:
            quotes = "" if quotes in text else quotes
        elif excerpted and excerpted[-1][1].rstrip().endswith(":") and (opened := re.match(r"\s*(\"\"\"|''')", text)):
            quotes = "" if text.count(opened[1]) > 1 else opened[1]
        elif len(excerpted) == most or (excerpted and re.match(r"(def|class|@)\b|# %%", text)):
            break
        else:
            excerpted.append((n, text if len(text) <= width else text[:width] + " …"))
    while len(excerpted) > 1 and not excerpted[-1][1].strip():
        excerpted.pop()
    return tuple(excerpted)
