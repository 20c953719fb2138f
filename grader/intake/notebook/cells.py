"""The code cells of a Jupyter notebook, from its bytes: read as JSON, every version from 2 to 4; nothing is executed.

Outputs, attachments and metadata are not read. Text cells and comments may contain an answers.toml.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from grader.errors import UserError
from grader.intake.notebook.ipython_lines import python_of
from grader.source.parsing import PARSE_ERRORS
from grader.source.unparsed import Cause, cause_of, merge_mark

MAX_READ_NOTEBOOK_BYTES = 20 << 20
MAX_CELLS = 10_000
MAX_CODE_CHARACTERS = 300_000  # characters in all code cells: reading the tree of so much takes a second


class NotebookError(UserError):
    """A notebook that cannot be read; the text is what follows its name and a colon."""


@dataclass(frozen=True)
class Cell:
    """`file` is what a message calls it ("that.ipynb, cell 12", text cells counted as well); `text` its code."""

    file: str
    text: str


def cells_of(data: bytes, name: str) -> list[Cell]:
    """The code cells from top to bottom, whatever order they were run in. Raises NotebookError."""
    if len(data) > MAX_READ_NOTEBOOK_BYTES:
        raise NotebookError(
            f"it has {len(data):,} bytes; at most {MAX_READ_NOTEBOOK_BYTES:,} are read. Clear its outputs."
        )
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError, MemoryError):  # a UnicodeDecodeError is a ValueError
        mark = merge_mark(data.decode("utf-8", "replace"))
        if mark is not None:
            raise NotebookError(f"line {mark.line}: {mark.what}.") from None
        raise NotebookError("it is no notebook file (no JSON). Save or download it again as .ipynb.") from None
    if not isinstance(notebook, dict) or not any(isinstance(notebook.get(k), list) for k in ("cells", "worksheets")):
        raise NotebookError("it is no notebook file: it has no cells. Save or download it again as .ipynb.")
    found: list[Cell] = []
    length = 0
    for number, cell in enumerate(every_cell(notebook), 1):
        if number > MAX_CELLS:
            raise NotebookError(f"it has more than {MAX_CELLS:,} cells. Submit the exercise's cells only.")
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = source_text(cell.get("source", cell.get("input")))
        length += len(source)
        if length > MAX_CODE_CHARACTERS:
            raise NotebookError(
                f"it has more than {MAX_CODE_CHARACTERS:,} characters of code. Submit the exercise's cells only."
            )
        if source.strip():
            found.append(Cell(f"{name}, cell {number}", python_of(source)))
    return found


def every_cell(notebook: dict[str, Any]) -> Iterator[Any]:
    """Version 4 has one list of cells, versions 2 and 3 have worksheets that hold them."""
    cells = notebook.get("cells")
    if isinstance(cells, list):
        yield from cells
        return
    for sheet in notebook["worksheets"]:
        inside = sheet.get("cells") if isinstance(sheet, dict) else None
        yield from inside if isinstance(inside, list) else []


def source_text(source: Any) -> str:
    """A cell's source is a string, or a list of lines that keep their ends."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return re.sub(r"\r\n?|\f", "\n", source) if isinstance(source, str) else ""


def script_cells(source: bytes, shown: str) -> list[Cell]:
    """A Python file as one cell; none when it is too long, or in an encoding of its own."""
    text = script_text(source)
    return [Cell(shown, text)] if text is not None else []


def script_text(source: bytes) -> str | None:
    """A Python file without IPython's lines; None where it is too long, or in an encoding of its own."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except (SyntaxError, UnicodeDecodeError):
        return None
    return python_of(text) if len(text) <= MAX_CODE_CHARACTERS else None


def syntax_error(source: bytes) -> str | None:
    """Where and why Python cannot parse a file, as "line 12: invalid syntax"; None where it can."""
    text = script_text(source) or ""
    try:
        ast.parse(text)
    except SyntaxError as error:
        cause = cause_of(text, error.lineno) or Cause(error.lineno, error.msg)
        return f"line {cause.line}: {cause.what}" if cause.line else cause.what
    except PARSE_ERRORS:
        return None
    return None


MARK = "[answers]"
MAX_TEXTS = 50
MAX_OTHER_TEXT_CHARACTERS = 200_000
"""Of all these texts together. A longer one is left out."""
FENCED_CELL = re.compile(r"\A\s*```\w*\n(.*?)\n```\s*\Z", re.DOTALL)
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
            return short_texts(commented_answers(data.decode("utf-8-sig", "replace")))
        return short_texts(in_cells(json.loads(data)))
    except (ValueError, RecursionError, KeyError, TypeError):
        return []


def short_texts(texts: Iterable[str]) -> list[str]:
    """Up to MAX_TEXTS of them, as far as they have MAX_OTHER_TEXT_CHARACTERS together."""
    found: list[str] = []
    for text in islice(texts, MAX_TEXTS):
        if sum(map(len, found)) + len(text) <= MAX_OTHER_TEXT_CHARACTERS:
            found.append(text)
    return found


def in_cells(notebook: object) -> Iterator[str]:
    for cell in [*every_cell(notebook)][:MAX_CELLS] if isinstance(notebook, dict) else ():
        if not isinstance(cell, dict):
            continue
        text = source_text(cell.get("source", cell.get("input")))
        if MARK not in text:
            continue
        if cell.get("cell_type") == "code":
            yield from commented_answers(text)
        else:
            fenced = FENCED_CELL.fullmatch(text)
            yield fenced[1] if fenced else text


def commented_answers(source: str) -> Iterator[str]:
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
