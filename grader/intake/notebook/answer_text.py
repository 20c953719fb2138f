"""Finds the text of an answers.toml inside a notebook or a Python file, for submissions of one file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from grader.intake.notebook.cells import MOST_CELLS, every_cell, source_text

MARK = "[answers]"
MOST_TEXTS = 50
FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n```\s*\Z", re.DOTALL)
COMMENT = re.compile(r"[ \t]*#[ \t]?(.*)")
TOML = re.compile(r"\s*(#.*|\[answers\]\s*|[\w.:\"'-]+\s*=.*)?")
"""A line as answers.toml has it: a comment, the table, an answer, or nothing."""


def answer_texts(data: bytes, is_notebook: bool) -> list[str]:
    """The texts that may be an answers.toml: text cells of a notebook, blocks of comments in its code or in a file.

    Each contains the line `[answers]`. Where the notebook or file cannot be read there are none.
    """
    if MARK.encode() not in data:
        return []
    try:
        if not is_notebook:
            return list(commented(data.decode("utf-8-sig", "replace")))[:MOST_TEXTS]
        return list(in_cells(json.loads(data)))[:MOST_TEXTS]
    except (ValueError, RecursionError, KeyError, TypeError):
        return []


def in_cells(notebook: object) -> Iterator[str]:
    for cell in [*every_cell(notebook)][:MOST_CELLS] if isinstance(notebook, dict) else ():
        if not isinstance(cell, dict):
            continue
        text = source_text(cell.get("source", cell.get("input")))
        if MARK not in text:
            continue
        if cell.get("cell_type") == "code":
            yield from commented(text)
        else:
            fenced = FENCE.fullmatch(text)
            yield fenced[1] if fenced else text


def commented(source: str) -> Iterator[str]:
    """Around each comment `# [answers]`, the comments that are lines of answers.toml, without their `#`."""
    comments = [COMMENT.fullmatch(line) for line in source.splitlines()]
    lines = [found[1] if found and TOML.fullmatch(found[1]) else None for found in comments]
    for place, line in enumerate(lines):
        if line is None or line.strip() != MARK:
            continue
        first, last = place, place
        while first and lines[first - 1] is not None:
            first -= 1
        while last + 1 < len(lines) and lines[last + 1] is not None:
            last += 1
        yield "\n".join(line or "" for line in lines[first : last + 1])
