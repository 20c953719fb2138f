"""The student's own lines around a place in their file, as a report quotes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

EXCERPT_LINES, EXCERPT_WIDTH = 12, 160


def excerpt(source: str, name: str, line: int | None) -> tuple[tuple[int, str], ...]:
    """The student's own lines around `line`, numbered: their function, or a few lines before and after."""
    lines = re.split(r"\r\n|\r|\n", source)  # as Python counts lines
    starts = [n for n, text in enumerate(lines, 1) if re.match(r"def\b", text)]
    if line is None:
        line = next((n for n in starts if re.match(rf"def\s+{re.escape(name)}\s*\(", lines[n - 1])), None)
    if line is None or line > len(lines):
        return ()
    function = without_docstring(lines, max((n for n in starts if n <= line), default=line))
    return function if line in dict(function) else without_docstring(lines, max(1, line - 3))


def without_docstring(lines: Sequence[str], start: int) -> tuple[tuple[int, str], ...]:
    """Lines from number `start` on, up to the next function; the docstring is the stub's, not the student's."""
    found: list[tuple[int, str]] = []
    quotes = ""  # those that end the docstring we are in
    for n, text in enumerate(lines[start - 1 :], start):
        if quotes:
            quotes = "" if quotes in text else quotes
        elif found and found[-1][1].rstrip().endswith(":") and (opened := re.match(r"\s*(\"\"\"|''')", text)):
            quotes = "" if text.count(opened[1]) > 1 else opened[1]
        elif len(found) == EXCERPT_LINES or (found and re.match(r"(def|class|@)\b|# %%", text)):
            break
        else:
            found.append((n, text if len(text) <= EXCERPT_WIDTH else text[:EXCERPT_WIDTH] + " …"))
    while len(found) > 1 and not found[-1][1].strip():
        found.pop()
    return tuple(found)
