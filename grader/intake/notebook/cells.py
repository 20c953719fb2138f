"""The code cells of a Jupyter notebook, from its bytes: read as JSON, every version from 2 to 4; nothing is executed.

Outputs, attachments and metadata are not read.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.errors import UserError
from grader.intake.notebook.ipython_lines import python_of
from grader.intake.notebook.readable_lines import Broken, readable_statements
from grader.source.parsing import PARSE_ERRORS, cause_of, cause_of_error

MAX_CELLS = 10_000
MAX_CODE_CHARACTERS = 300_000  # characters in all code cells: reading the tree of so much takes a second


class NotebookError(UserError):
    """A notebook that cannot be read; the text is what follows its name and a colon."""


@dataclass(frozen=True)
class Cell:
    """`file` is what a message calls it ("that.ipynb, cell 12", text cells counted as well); `text` its code."""

    file: str
    text: str

    @cached_property
    def parsed(self) -> tuple[list[ast.stmt], list[Broken]]:
        """Its statements, and the lines that Python cannot read."""
        return readable_statements(self.file, self.text)


def cells_of(data: bytes, name: str) -> list[Cell]:
    """The code cells from top to bottom, whatever order they were run in. Raises NotebookError."""
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError, MemoryError):  # a UnicodeDecodeError is a ValueError
        if cause := cause_of(data.decode("utf-8", "replace")):
            raise NotebookError(f"line {cause.line}: {cause.what}." if cause.line else f"{cause.what}.") from None
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
        cause = cause_of_error(text, error)
        return f"line {cause.line}: {cause.what}" if cause.line else cause.what
    except PARSE_ERRORS:
        return None
    return None
