"""Reads a lesson's files: in a folder of the lesson's name, in a file that stands for one, or in a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grader.intake.notebook.as_file import NotebookReading
from grader.intake.notebook.cells import MAX_READ_NOTEBOOK_BYTES, NotebookError
from grader.intake.notebook.limited_reading import read_notebook_limited
from grader.intake.notebook.outline import outlines_limited
from grader.intake.submissions.absences import not_submitted
from grader.intake.submissions.archive import is_archive
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.fitting import fits_of
from grader.intake.submissions.helper_packages import packages_in, with_neighbours, with_packages
from grader.intake.submissions.lesson_files import LessonFiles, Unreadable, read_downloaded
from grader.intake.submissions.places import Inside, is_folder, names_lesson, visible
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.reader import ReadingFailed, ReadingStopped

MAY_HAVE_GRADIENTS = re.compile(rb"^[ \t]*\(?d[^\n=]*=|grad|cmp|allclose", re.MULTILINE)
"""Every script in the lecture's manner assigns a name that begins with d, or compares a gradient."""
MIN_OF_THE_CHAIN = 3
"""Gradients of the lecture's chain whose assignment makes a Python file a script, which is never imported."""


@dataclass(frozen=True)
class PageRead:
    """What a notebook or script contains.

    Attributes:
        lessons: {lesson's name: its files}.
        cells, defined, too_much, syntax_error: as in notebook.limited_reading.NotebookRead.
    """

    lessons: dict[str, LessonFiles]
    cells: int = 0
    defined: frozenset[str] = frozenset()
    too_much: str | None = None
    syntax_error: str | None = None


def read_page(path: Path, shown: str, lessons: Sequence[Lesson], functions: bool) -> PageRead:
    """Reads a notebook or a Python file, in a separate process under limits; `shown` is its name in messages.

    With `functions` it may also define the stub's functions: see notebook.reading.read_lesson_part. Raises
    Unreadable, and NotebookError where nothing of it can be read.
    """
    is_notebook = suffix_of(path) == NOTEBOOK
    data = read_downloaded(path, MAX_READ_NOTEBOOK_BYTES) if is_notebook else read_downloaded(path)
    return read_page_bytes(data, shown, lessons, functions, is_notebook)


def read_page_bytes(data: bytes, shown: str, lessons: Sequence[Lesson], functions: bool, is_notebook: bool) -> PageRead:
    """The same for a file's bytes. Raises NotebookError."""
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
    submitted = {name: files_of_reading(name, shown, reading) for name, reading in read.lessons.items()}
    return PageRead(submitted, read.cells, read.defined, read.too_much, read.syntax_error)


def files_of_reading(lesson: str, shown: str, reading: NotebookReading) -> LessonFiles:
    """A lesson's part of a notebook, as files."""
    if reading.refused is not None:
        return LessonFiles(lesson, message=f"{shown} cannot be read: {reading.refused}", rejected=True)
    files = {BACKWARD_FILE: reading.source} if reading.source is not None else {}
    return LessonFiles(lesson, files, shown, reading.message, origin=reading.origin, nothing=not reading.attempted)


def read_lecture_script(lesson: Lesson, source: bytes, shown: str) -> LessonFiles | None:
    """A Python file in a lesson's place, without its functions, if it assigns gradients like the lecture's notebook."""
    defined = b"|".join(re.escape(name.encode()) for name in lesson.functions)
    if lesson.notebook is None or re.search(rb"^[ \t]*(def|class)[ \t]+(" + defined + rb")\b", source, re.MULTILINE):
        return None
    if MAY_HAVE_GRADIENTS.search(source) is None:  # reading on would load torch, for the lesson's sizes
        return None
    try:
        page = read_page_bytes(source, shown, [lesson], False, False)
    except NotebookError:
        return None
    submitted = page.lessons[lesson.name]
    is_read = submitted.present or (page.cells and is_script_of(lesson, source))
    return submitted.in_place if is_read else None


def is_script_of(lesson: Lesson, source: bytes) -> bool:
    """Whether a file without the lesson's part is a script in the lecture's manner: importing it would run it all."""
    if lesson.notebook is None:
        return False
    chain = Lesson(lesson.course, lesson.notebook.after, secrets=False) if lesson.notebook.after else lesson
    names = b"|".join(re.escape(item.name.encode()) for item in chain.gradients)
    found = re.findall(rb"^[ \t]*(" + names + rb")[ \t]*(?::[^=\n]*)?=(?!=)", source, re.MULTILINE)
    return len({*found}) >= MIN_OF_THE_CHAIN


MAX_LESSON_FILES = 64


def rejected_files(lesson: Lesson, message: object) -> LessonFiles:
    """A lesson whose files may not be graded."""
    return LessonFiles(lesson.name, message=str(message), rejected=True)


def read_lesson(folder: Inside, lesson: Lesson, alone: bool) -> LessonFiles:
    """What a folder contains for `lesson`. With `alone`, a backward.py directly inside counts as well."""
    place = folder.lesson_folder(lesson)
    if place is None and alone and any(suffix_of(path) == ".py" for path in folder.entries):
        place = folder.folder
    if place is None:
        named = [path for path in folder.gradable if names_lesson(path.stem, lesson) and not is_archive(path)]
        return read_loose(named[0], lesson, True) if len(named) == 1 else not_submitted(lesson)
    inside = "" if place is folder.folder else place.name + "/"
    entries = folder.entries if place is folder.folder else visible(place)
    sources = [path for path in entries if suffix_of(path) == ".py" and not is_folder(path)]
    names = [path.name for path in sources]
    main_names = [name for name in names if name.lower() == BACKWARD_FILE]
    main = BACKWARD_FILE if BACKWARD_FILE in names else main_names[0] if len(main_names) == 1 else None
    if main is None:
        notebooks = [path for path in entries if suffix_of(path) == NOTEBOOK]
        if len(notebooks) == 1:
            return read_notebook_file(notebooks[0], lesson, inside + notebooks[0].name)
        found = ", ".join(path.name for path in [*sources, *notebooks][:5])
        advice = f"; found {found}. Submit one file for the lesson: {BACKWARD_FILE}, or a notebook."
        message = (
            f"{inside}{BACKWARD_FILE} is missing{advice if found else ', and there is no Python file next to it.'}"
        )
        return LessonFiles(lesson.name, message=message)
    if len(sources) > MAX_LESSON_FILES:
        where = inside or "The folder"
        return rejected_files(
            lesson, f"{where} holds {len(sources)} Python files; at most {MAX_LESSON_FILES} are read."
        )
    files, left_out = {}, None
    for path in sources:
        try:
            files[BACKWARD_FILE if path.name == main else path.name] = read_downloaded(path)
        except Unreadable as error:
            if path.name == main:
                return rejected_files(lesson, error)
            left_out = str(error)
    return read_source(lesson, with_packages(files, packages_in(place)), inside + main, left_out)


def read_source(lesson: Lesson, files: dict[str, bytes], shown: str, message: str | None = None) -> LessonFiles:
    """A Python file, the BACKWARD_FILE of `files`, as the lesson's: a script in the lecture's manner, or functions.

    Of functions that Python cannot parse as a whole, those count that it can.
    """
    source = files[BACKWARD_FILE]
    found = read_lecture_script(lesson, source, shown)
    if found is None and not outlines_limited([(source, False)])[0].parsed:
        with suppress(NotebookError):
            page = read_page_bytes(source, shown, [lesson], True, False)
            part = page.lessons[lesson.name]
            if part.present and page.syntax_error:
                return replace(part, files={**files, **part.files}, message=message)
    return found or LessonFiles(lesson.name, files, shown=shown, message=message)


def read_loose(path: Path, lesson: Lesson, has_neighbours: bool = False) -> LessonFiles:
    """A notebook or a Python file of any name, for this one lesson, and what it imports of its neighbours."""
    if suffix_of(path) == NOTEBOOK:
        return read_notebook_file(path, lesson, path.name)
    try:
        source = read_downloaded(path)
    except Unreadable as error:
        return rejected_files(lesson, error)
    files = with_neighbours(path, source) if has_neighbours else {BACKWARD_FILE: source}
    return read_source(lesson, files, path.name)


def read_notebook_file(path: Path, lesson: Lesson, shown: str) -> LessonFiles:
    """A notebook in a lesson's folder: in the lecture's manner, or with the stub's functions."""
    try:
        return read_page(path, shown, [lesson], functions=True).lessons[lesson.name]
    except Unreadable as error:
        return rejected_files(lesson, error)
    except NotebookError as error:
        return rejected_files(lesson, f"{shown} cannot be read: {error}")
