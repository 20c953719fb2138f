"""Reads a file of a submission as a lesson's: a backward.py, a script in the lecture's manner, a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.intake.notebook.as_file import NotebookReading
from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.limited_reading import read_notebook_limited
from grader.intake.notebook.outline import outlines_limited
from grader.intake.submissions.fitting import fits_of
from grader.intake.submissions.gathered import GatheredFile
from grader.intake.submissions.helper_packages import packages_in, python_files, with_packages
from grader.intake.submissions.lesson_files import LessonFiles, Unreadable, read_downloaded
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.reader import ReadingFailed, ReadingStopped

MAY_HAVE_GRADIENTS = re.compile(rb"^[ \t]*\(?d[^\n=]*=|grad|cmp|allclose", re.MULTILINE)
"""Every script in the lecture's manner assigns a name that begins with d, or compares a gradient."""
MIN_OF_THE_CHAIN = 3
"""Gradients of the lecture's chain whose assignment makes a Python file a script, which is never imported."""
MAX_LESSON_FILES = 64


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


def defines_function_of(lesson: Lesson, source: bytes) -> bool:
    names = b"|".join(re.escape(name.encode()) for name in lesson.functions)
    return re.search(rb"^[ \t]*(def|class)[ \t]+(" + names + rb")\b", source, re.MULTILINE) is not None


def is_script_of(lesson: Lesson, source: bytes) -> bool:
    """Whether a file without the lesson's part is a script in the lecture's manner: importing it would run it all."""
    chain = [name for name in notebook_lesson(lesson).chain.names if name.startswith("d")]
    if not chain or defines_function_of(lesson, source):
        return False
    names = b"|".join(re.escape(name.encode()) for name in chain)
    found = re.findall(rb"^[ \t]*(" + names + rb")[ \t]*(?::[^=\n]*)?=(?!=)", source, re.MULTILINE)
    return len({*found}) >= MIN_OF_THE_CHAIN


def rejected_files(lesson: Lesson, message: object) -> LessonFiles:
    """A lesson whose files may not be graded."""
    return LessonFiles(lesson.name, message=str(message), rejected=True)


def read_as_page(file: GatheredFile, lesson: Lesson, is_in_place: bool) -> LessonFiles:
    """A notebook, or the only Python file of a submission, as the lesson's: its cells, or the stub's functions.

    A Python file that is in the lesson's place or has its name is no notebook, whatever it contains.
    """
    try:
        found = read_page(file.source, file.shown, [lesson], True, file.is_notebook)[lesson.name]
    except Unreadable as error:
        return rejected_files(lesson, error)
    except NotebookError as error:
        if file.is_notebook:
            return rejected_files(lesson, f"{file.shown} cannot be read: {error}")
        return LessonFiles(lesson.name, {BACKWARD_FILE: file.source}, file.shown)
    if file.is_notebook:
        return found
    if found.present or is_script_of(lesson, file.source):
        return found.in_place if is_in_place else found
    return LessonFiles(lesson.name, {BACKWARD_FILE: file.source}, file.shown)


def read_with_neighbours(file: GatheredFile, lesson: Lesson, source: bytes, all_of_them: bool) -> LessonFiles:
    """A Python file with the text `source` as the lesson's, with what it imports from the files next to it.

    With `all_of_them`, these are its files also where no line imports them.
    """
    folder, files, left_out = file.path.parent, {BACKWARD_FILE: source}, None
    helpers = python_files(folder) if all_of_them else []
    if len(helpers) > MAX_LESSON_FILES:
        where = f"{file.folder}/" if file.folder else "The folder"
        message = f"{where} holds {len(helpers)} Python files; at most {MAX_LESSON_FILES} are read."
        return rejected_files(lesson, message)
    for path in helpers:
        try:
            if path.name not in (file.path.name, BACKWARD_FILE):
                files[path.name] = read_downloaded(path)
        except Unreadable as error:
            left_out = str(error)
    return read_source(lesson, with_packages(files, packages_in(folder, file.path.name)), file.shown, left_out)


def read_source(lesson: Lesson, files: dict[str, bytes], shown: str, message: str | None = None) -> LessonFiles:
    """A Python file, the BACKWARD_FILE of `files`, as the lesson's: a script in the lecture's manner, or functions.

    Of functions that Python cannot parse as a whole, those count that it can.
    """
    source, as_it_is = files[BACKWARD_FILE], LessonFiles(lesson.name, files, shown=shown, message=message)
    # reading on would load torch, for the lesson's sizes
    may_be_script = lesson.notebook is not None and not defines_function_of(lesson, source)
    may_be_script = may_be_script and MAY_HAVE_GRADIENTS.search(source) is not None
    if not may_be_script and outlines_limited([(source, False)])[0].parsed:
        return as_it_is
    try:
        found = read_page(source, shown, [lesson], not may_be_script, False)[lesson.name]
    except NotebookError:
        return as_it_is
    if may_be_script:
        return found.in_place if found.present or is_script_of(lesson, source) else as_it_is
    return replace(found, files={**files, **found.files}, message=message) if found.present else as_it_is
