"""A notebook, or a script in the lecture's manner, as the submission for a lesson."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.intake.notebook.cells import MOST_NOTEBOOK_BYTES, Cell, NotebookError, cells_of, script_cells
from grader.intake.notebook.limited_reading import read_notebook
from grader.intake.notebook.reading import Reading, read_for
from grader.intake.notebook.script import Page
from grader.intake.submissions.handed import MAIN, Handed, read_file
from grader.intake.submissions.places import NOTEBOOK, kind
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.source.reader import ReadingFailed, ReadingStopped


@dataclass(frozen=True)
class PageRead:
    """A notebook or script as it was read: what it holds for each lesson, and as `NotebookRead`."""

    handed: dict[str, Handed]
    cells: int = 0
    defined: frozenset[str] = frozenset()
    too_much: str | None = None


def read_page(path: Path, shown: str, lessons: Sequence[Lesson], functions: bool) -> PageRead:
    """Reads it in a process of its own, under limits. With `functions` also for the stub's: see reading.read_for.

    Raises Unreadable, and NotebookError where nothing of it can be read.
    """
    if kind(path) == NOTEBOOK:
        return page_of(read_file(path, MOST_NOTEBOOK_BYTES), shown, lessons, functions, True)
    return page_of(read_file(path), shown, lessons, functions, False)


def page_of(data: bytes, shown: str, lessons: Sequence[Lesson], functions: bool, is_notebook: bool) -> PageRead:
    """Raises NotebookError."""
    try:
        read = read_notebook(data, shown, is_notebook, [notebook_lesson(lesson) for lesson in lessons], functions)
    except ReadingStopped as reason:
        raise NotebookError(f"{reason}. Hand in the exercise's cells only.") from reason
    except ReadingFailed as reason:
        raise NotebookError(
            f"the grader has an error that shows in this file ({reason}). Tell your instructor."
        ) from reason
    handed = {name: as_handed(name, shown, reading) for name, reading in read.lessons.items()}
    return PageRead(handed, read.cells, read.defined, read.too_much)


def refused(lesson: str, shown: str, why: object) -> Handed:
    return Handed(lesson, message=f"{shown} cannot be read: {why}", rejected=True)


def as_handed(lesson: str, shown: str, reading: Reading) -> Handed:
    if reading.refused is not None:
        return refused(lesson, shown, reading.refused)
    files = {MAIN: reading.source} if reading.source is not None else {}
    return Handed(lesson, files, shown, reading.message, origin=reading.origin, nothing=not reading.attempted)


def read_cells(path: Path, shown: str = "") -> list[Cell]:
    """A notebook's code cells; of a Python file, itself as one, or none when Python cannot read it.

    In this process and without limits, as `from_notebook`. Raises Unreadable, NotebookError.
    """
    if kind(path) == NOTEBOOK:
        return cells_of(read_file(path, MOST_NOTEBOOK_BYTES), shown or path.name)
    return script_cells(read_file(path), shown or path.name)


def from_notebook(lesson: Lesson, cells: Sequence[Cell], shown: str, functions: bool = True) -> Handed:
    """What the cells hold for the lesson. With `functions` also the stub's functions: see reading.read_for.

    In this process and without limits, for files that are ours: a student's is read by `read_page`.
    """
    try:
        reading = read_for(notebook_lesson(lesson), Page(cells), shown, functions)
    except NotebookError as error:
        return refused(lesson.name, shown, error)
    return as_handed(lesson.name, shown, reading)


def as_a_script(lesson: Lesson, source: bytes, shown: str) -> Handed | None:
    """A Python file without any of the lesson's functions, if it assigns gradients as the lecture's notebook does."""
    defined = b"|".join(re.escape(name.encode()) for name in lesson.functions)
    if lesson.notebook is None or re.search(rb"^[ \t]*(def|class)[ \t]+(" + defined + rb")\b", source, re.MULTILINE):
        return None
    try:
        handed = page_of(source, shown, [lesson], False, False).handed[lesson.name]
    except NotebookError:
        return None
    return handed if handed.present else None


def without_gradients(shown: str, defined: Iterable[str]) -> str:
    """The sentence about a notebook in which no lesson finds anything. `defined` are its functions."""
    if any(name.startswith("d") for name in defined):
        return f"{shown} holds functions: say which lesson it is for, with --lesson."
    return (
        f"{shown} holds nothing that can be graded: no gradient is assigned in its code cells, as in "
        "`dlogprobs = ...`, and no function of a lesson is defined."
    )
