"""A notebook, or a script in the lecture's manner, as what was handed in for a lesson."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from grader.lesson import Lesson
from grader.notebook.cells import MOST_NOTEBOOK_BYTES, Cell, NotebookError, cells_of, script_cells, tree_of
from grader.notebook.lesson_part import Sought, sought_of
from grader.notebook.reading import read_for
from grader.notebook.script import Page
from grader.submissions.handed import MAIN, Handed, Unreadable, read_file
from grader.submissions.places import NOTEBOOK, kind


def read_cells(path: Path, shown: str = "") -> list[Cell]:
    """A notebook's code cells; of a Python file, itself as one, or none when Python cannot read it.

    Raises Unreadable, NotebookError.
    """
    if kind(path) == NOTEBOOK:
        return cells_of(read_file(path, MOST_NOTEBOOK_BYTES), shown or path.name)
    return script_cells(read_file(path), shown or path.name)


def from_notebook(lesson: Lesson, cells: Sequence[Cell], shown: str, functions: bool = True) -> Handed:
    """What the cells hold for the lesson. With `functions` also the stub's functions: see reading.read_for.

    In this process and without limits: a submission is read by grader/source_reader.py.
    """
    return handed_for(sought_of(lesson), Page(cells), shown, functions)


def handed_for(lesson: Sought, page: Page, shown: str, functions: bool) -> Handed:
    try:
        reading = read_for(lesson, page, shown, functions)
    except NotebookError as error:
        return Handed(lesson.name, message=f"{shown} cannot be read: {error}", rejected=True)
    files = {MAIN: reading.source} if reading.source is not None else {}
    return Handed(lesson.name, files, shown, reading.message, origin=reading.origin)


def as_a_script(lesson: Lesson, source: bytes, shown: str) -> Handed | None:
    """A Python file without any of the lesson's functions, if it assigns gradients as the lecture's notebook does."""
    defined = b"|".join(re.escape(name.encode()) for name in lesson.functions)
    if lesson.notebook is None or re.search(rb"^[ \t]*(def|class)[ \t]+(" + defined + rb")\b", source, re.MULTILINE):
        return None
    handed = from_notebook(lesson, script_cells(source, shown), shown, functions=False)
    return handed if handed.present else None


def without_gradients(shown: str, cells: Sequence[Cell]) -> str:
    """The sentence about a notebook in which no lesson finds anything."""
    functions = any(
        isinstance(node, ast.FunctionDef) and node.name.startswith("d")
        for cell in cells
        for node in tree_of(cell.text) or []
    )
    if functions:
        return f"{shown} holds functions: say which lesson it is for, with --lesson."
    return (
        f"{shown} holds nothing that can be graded: no gradient is assigned in its code cells, as in "
        "`dlogprobs = ...`, and no function of a lesson is defined."
    )


__all__ = ["NOTEBOOK", "Unreadable", "as_a_script", "from_notebook", "read_cells", "without_gradients"]
