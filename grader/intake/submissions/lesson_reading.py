"""Reads a notebook or a Python file as the lecture's notebook or as the stub's functions, in a separate process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.intake.notebook.as_file import NotebookReading
from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.limited_reading import read_notebook_limited
from grader.intake.submissions.fitting import Fit
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.reader import ReadingFailed, ReadingStopped


def read_page(
    data: bytes, shown: str, lessons: Sequence[Lesson], is_notebook: bool, fits: Mapping[str, Fit] = {}
) -> dict[str, LessonFiles]:
    """{lesson: what a notebook or a Python file has of it}; `shown` is its name in messages.

    `fits` says which of several definitions of a function is a lesson's. Raises NotebookError where nothing of it can
    be read.
    """
    parts = [notebook_lesson(lesson) for lesson in lessons]
    definitions = {name: dict(fit.functions) for name, fit in fits.items()}
    try:
        read = read_notebook_limited(data, shown, is_notebook, parts, definitions)
    except ReadingStopped as reason:
        raise NotebookError(f"{reason}. Submit the exercise's cells only.") from reason
    except ReadingFailed as reason:
        raise NotebookError(
            f"the grader has an error that shows in this file ({reason}). Tell your instructor."
        ) from reason
    return {name: files_of_reading(name, shown, reading) for name, reading in read.lessons.items()}


def files_of_reading(lesson: str, shown: str, reading: NotebookReading) -> LessonFiles:
    """A lesson's part of a notebook, as files."""
    if reading.refused is not None:
        return LessonFiles(lesson, message=f"{shown} cannot be read: {reading.refused}", rejected=True)
    files = {BACKWARD_FILE: reading.source} if reading.source is not None else {}
    return LessonFiles(lesson, files, shown, reading.message, origin=reading.origin, nothing=not reading.attempted)
