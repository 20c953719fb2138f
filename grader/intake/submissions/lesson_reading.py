"""Reads a file of a submission as a lesson's: a notebook, a script in the lecture's manner, or the stub's functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.intake.notebook.as_file import NotebookReading
from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.limited_reading import read_notebook_limited
from grader.intake.notebook.outline import outlines_limited
from grader.intake.submissions.file_kinds import Unreadable
from grader.intake.submissions.fitting import fits_of
from grader.intake.submissions.gathered import GatheredFile
from grader.intake.submissions.lesson_files import LessonFiles, imported_files
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.reader import ReadingFailed, ReadingStopped

MAY_HAVE_GRADIENTS = re.compile(rb"^[ \t]*\(?d[^\n=]*=|grad|cmp|allclose", re.MULTILINE)
"""Every script in the lecture's manner assigns a name that begins with d, or compares a gradient."""
ASSIGNED_GRADIENT = re.compile(rb"^[ \t]*(d\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
"""A name that begins with d and is assigned, also in a function."""
MIN_OF_THE_CHAIN = 3
"""Gradients of the lecture's chain whose assignment makes a Python file a script, which is never imported."""


def read_as(file: GatheredFile, lesson: Lesson, source: bytes | None = None, is_only: bool = False) -> LessonFiles:
    """The file as the lesson's, with what it imports from the files next to it.

    A Python file that Python cannot parse as a whole counts with the functions that it can parse. `source` is its text
    without the parts that are other lessons'. Where it `is_only` what was submitted for the only lesson of the run,
    only what the lesson needs counts.
    """
    try:
        source = file.source if source is None else source
        if file.is_notebook:
            return read_page(source, file.shown, [lesson], True, True)[lesson.name]
        nearby, left_out = ({}, None) if file.is_alone else imported_files(file.path, source)
    except NotebookError as error:
        return LessonFiles(lesson.name, message=f"{file.shown} cannot be read: {error}", rejected=True)
    except Unreadable as error:
        return LessonFiles(lesson.name, message=str(error), rejected=True)
    outline = file.outline
    module = LessonFiles(lesson.name, {BACKWARD_FILE: source, **nearby}, file.shown, left_out)
    # reading on would load torch, for the lesson's sizes
    has_functions = not outline.functions.keys().isdisjoint(lesson.functions)
    is_script = lesson.notebook is not None and not has_functions and MAY_HAVE_GRADIENTS.search(source) is not None
    is_page = is_script or (is_only and not nearby)
    if outline.parsed and not is_page:
        return module
    try:
        page = read_page(source, file.shown, [lesson], is_only or not is_script, False)[lesson.name]
    except NotebookError:
        return module
    if is_page and not page.present:
        assigned = {name.decode() for name in ASSIGNED_GRADIENT.findall(source)}
        of_the_chain = assigned.intersection(notebook_lesson(lesson).chain.names)
        return page if not has_functions and len(of_the_chain) >= MIN_OF_THE_CHAIN else module
    if is_page:
        return page
    return replace(page, files={**module.files, **page.files}, message=left_out) if page.present else module


def read_page(
    data: bytes, shown: str, lessons: Sequence[Lesson], functions: bool, is_notebook: bool
) -> dict[str, LessonFiles]:
    """{lesson: what a notebook or a Python file has of it}; `shown` is its name in messages.

    A separate process reads it, under limits. With `functions` it may also define the stub's functions: see
    notebook.reading.read_lesson_part. Raises NotebookError where nothing of it can be read.
    """
    parts, definitions = [notebook_lesson(lesson) for lesson in lessons], dict[str, dict[str, int]]()
    if functions:
        (outline,) = outlines_limited([(data, is_notebook)])
        definitions = {name: dict(fit.functions) for name, fit in fits_of(outline, lessons).items()}
    try:
        read = read_notebook_limited(data, shown, is_notebook, parts, functions, definitions)
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
