"""The files that a notebook, or a script in the lecture's manner, contains for each lesson."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.intake.notebook.cells import MOST_NOTEBOOK_BYTES, NotebookError
from grader.intake.notebook.limited_reading import read_notebook_limited
from grader.intake.notebook.reading import NotebookReading
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.lesson_files import MAIN, LessonFiles, read_file
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.source.reader import ReadingFailed, ReadingStopped


@dataclass(frozen=True)
class PageRead:
    """What a notebook or script contains.

    Attributes:
        lessons: {lesson's name: its files}.
        cells, defined, too_much: as in notebook.limited_reading.NotebookRead.
    """

    lessons: dict[str, LessonFiles]
    cells: int = 0
    defined: frozenset[str] = frozenset()
    too_much: str | None = None


def read_page(path: Path, shown: str, lessons: Sequence[Lesson], functions: bool) -> PageRead:
    """Reads a notebook or a Python file, in a separate process under limits; `shown` is its name in messages.

    With `functions` it may also define the stub's functions: see notebook.parts_of_lessons.read_lesson_part. Raises
    Unreadable, and NotebookError where nothing of it can be read.
    """
    is_notebook = suffix_of(path) == NOTEBOOK
    data = read_file(path, MOST_NOTEBOOK_BYTES) if is_notebook else read_file(path)
    return read_page_bytes(data, shown, lessons, functions, is_notebook)


def read_page_bytes(data: bytes, shown: str, lessons: Sequence[Lesson], functions: bool, is_notebook: bool) -> PageRead:
    """The same for a file's bytes. Raises NotebookError."""
    try:
        read = read_notebook_limited(
            data, shown, is_notebook, [notebook_lesson(lesson) for lesson in lessons], functions
        )
    except ReadingStopped as reason:
        raise NotebookError(f"{reason}. Submit the exercise's cells only.") from reason
    except ReadingFailed as reason:
        raise NotebookError(
            f"the grader has an error that shows in this file ({reason}). Tell your instructor."
        ) from reason
    submitted = {name: files_of_reading(name, shown, reading) for name, reading in read.lessons.items()}
    return PageRead(submitted, read.cells, read.defined, read.too_much)


def files_of_reading(lesson: str, shown: str, reading: NotebookReading) -> LessonFiles:
    """A lesson's part of a notebook, as files."""
    if reading.refused is not None:
        return LessonFiles(lesson, message=f"{shown} cannot be read: {reading.refused}", rejected=True)
    files = {MAIN: reading.source} if reading.source is not None else {}
    return LessonFiles(lesson, files, shown, reading.message, origin=reading.origin, nothing=not reading.attempted)


MAY_HAVE_GRADIENTS = re.compile(rb"^[ \t]*\(?d\w*[^\n=]*=|grad|cmp|allclose", re.MULTILINE)
"""Every script in the lecture's manner assigns a name that begins with d, or compares a gradient."""


def read_lecture_script(lesson: Lesson, source: bytes, shown: str) -> LessonFiles | None:
    """A Python file without any of the lesson's functions, if it assigns gradients as the lecture's notebook does."""
    defined = b"|".join(re.escape(name.encode()) for name in lesson.functions)
    if lesson.notebook is None or re.search(rb"^[ \t]*(def|class)[ \t]+(" + defined + rb")\b", source, re.MULTILINE):
        return None
    if MAY_HAVE_GRADIENTS.search(source) is None:  # reading on would load torch, for the lesson's sizes
        return None
    try:
        submitted = read_page_bytes(source, shown, [lesson], False, False).lessons[lesson.name]
    except NotebookError:
        return None
    return submitted if submitted.present else None


def nothing_gradable(shown: str, defined: Iterable[str]) -> str:
    """The sentence about a notebook in which no lesson finds anything. `defined` are its functions."""
    if any(name.startswith("d") for name in defined):
        return f"{shown} holds functions: say which lesson it is for, with --lesson."
    return (
        f"{shown} holds nothing that can be graded: no gradient is assigned in its code cells, as in "
        "`dlogprobs = ...`, and no function of a lesson is defined."
    )
