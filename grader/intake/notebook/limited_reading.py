"""Reads a notebook or script for all lessons at once, in the process that has limits of time and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.intake.lesson_files import LessonFiles
from grader.intake.notebook.cells import NotebookError, cells_of, script_cells
from grader.intake.notebook.reading import read_lesson_part
from grader.intake.notebook.script import Page
from grader.lesson.notebook_table import NotebookLesson
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.typed_json import from_json


def read_notebook_limited(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> dict[str, LessonFiles]:
    """{lesson: what a notebook or script has of it}; `shown` is the file's name in messages.

    `definitions`, for each lesson by its name, as in `reading.read_lesson_part`. Raises NotebookError where nothing of
    it can be read.
    """
    try:
        answer = source_reader().call(read_notebook, data, shown, is_notebook, lessons, definitions)
    except ReadingStopped as reason:
        raise NotebookError(f"{reason}. Submit the exercise's cells only.") from reason
    except ReadingFailed as reason:
        why = f"the grader has an error that shows in this file ({reason}). Tell your instructor."
        raise NotebookError(why) from reason
    if isinstance(answer, str):
        raise NotebookError(answer)
    found: dict[str, LessonFiles] = from_json(dict[str, LessonFiles], answer)
    return found


def read_notebook(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> dict[str, LessonFiles] | str:
    """As `read_notebook_limited`, without limits; why nothing of it can be read, in place of an error."""
    try:
        page = Page(cells_of(data, shown) if is_notebook else script_cells(data, shown))
    except NotebookError as error:
        return str(error)
    found: dict[str, LessonFiles] = {}
    for lesson in lessons:
        try:
            found[lesson.name] = read_lesson_part(lesson, page, shown, definitions.get(lesson.name, {}))
        except NotebookError as error:
            found[lesson.name] = LessonFiles(lesson.name, message=f"{shown} cannot be read: {error}", rejected=True)
    return found
