"""The student's own lines around a place in their file, as a report quotes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

EXCERPT_LINES, EXCERPT_WIDTH = 12, 160
MAX_EXCERPT_FILE_CHARACTERS = 300_000
"""Of a longer file nothing is quoted: a lesson's file has a few thousand."""
MAX_LOOKED_AT = 400
"""Lines after a function's first one in which its excerpt is searched: its docstring may be long."""


def excerpt(source: str, name: str, line: int | None) -> tuple[tuple[int, str], ...]:
    """The student's own lines around `line`, numbered: their function, or a few lines before and after."""
    texts, functions = lines_and_functions(source)
    line = line or next((start for start, own in functions.items() if own == name), None)
    if line is None or line > len(texts):
        return ()
    function = without_docstring(texts, max((start for start in functions if start <= line), default=line))
    return function if line in dict(function) else without_docstring(texts, max(1, line - 3))


@lru_cache(maxsize=2)  # a lesson's rows are in one file
def lines_and_functions(source: str) -> tuple[Sequence[str], Mapping[int, str]]:
    """(the lines of a file as Python counts them, {the line at which a function starts: its name})"""
    texts = re.split(r"\r\n|\r|\n", source) if len(source) <= MAX_EXCERPT_FILE_CHARACTERS else []
    return texts, {n: match[1] for n, text in enumerate(texts, 1) if (match := re.match(r"def\s+(\w+)", text))}


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
