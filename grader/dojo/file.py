"""A student's backward.py: read, searched for its functions without running it, and reset to the stub."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Final

from grader.errors import UserError, write_errors
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.file_kinds import read_submitted
from grader.intake.submissions.imported_files import imported_files
from grader.lesson.definitions import definitions_of
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE, KEPT_BY_RESET

HIDDEN: Final = "hidden"
"""The status of a row that is written and that only the hidden suite checks."""
HERE: Final = "here"
"""The status of a row that passes its public example; the hidden suite checks more."""
HIDDEN_SUITE_DECIDES: Final = "The hidden suite decides"
"""How every screen and page begins to say which points are not sure yet."""


def shown_path(path: Path) -> str:
    """The path relative to the current folder where that is shorter; a terminal can open it with a click."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def location(file: str, line: int | None) -> str:
    """A file and line: as a terminal opens it, or in words for a notebook."""
    if line is None:
        return file
    return f"{file}:{line}" if file.endswith(".py") else f"{file}, line {line}"


def own_file(lesson: Lesson) -> Path:
    """The path of the student's own backward.py of a lesson."""
    return lesson.exercise / BACKWARD_FILE


def read_own(lesson: Lesson) -> LessonFiles:
    """The lesson's file as it is now, with what it imports from its folder. Raises UserError where it is not read."""
    path = own_file(lesson)
    if not path.exists():
        raise UserError(f"{shown_path(path)} is not there. `dojo reset {lesson.number}` puts the stub there.")
    try:
        source = read_submitted(path.resolve())
        imported, _ = imported_files(path.parent.resolve() / path.name, source)
    except OSError as error:
        raise UserError(f"{shown_path(path)} cannot be read: {error.strerror}.") from error
    return LessonFiles(lesson.name, {**imported, BACKWARD_FILE: source}, shown=shown_path(path))


def place_of(lesson: Lesson, submitted: LessonFiles, row: str) -> str:
    """The location of a row's function in the submitted file."""
    found, origin = definitions_of(lesson.item_for(row), submitted.files[BACKWARD_FILE]), submitted.origin
    line = found[-1].lineno if found else None
    if origin is None:
        return location(submitted.shown, line)
    return location(*(origin.rows.get(row) or origin.place(line) or (submitted.shown, None)))


def place_in_own_file(lesson: Lesson, row: str) -> str:
    """The location of a row's function in the student's file."""
    try:
        return place_of(lesson, read_own(lesson), row)
    except UserError:
        return shown_path(own_file(lesson))


def is_untouched(lesson: Lesson, source: bytes) -> bool:
    """Whether the file is still the stub, so that no row is written."""
    try:
        return lesson.pristine.read_bytes() == source
    except OSError:
        return False


def reset_to_stub(lesson: Lesson) -> Path | None:
    """Writes the stub and returns the old file's new path, None where there was no file. Raises UserError."""
    path, kept = own_file(lesson), None
    try:
        stub = lesson.pristine.read_bytes()
    except OSError as error:
        raise UserError(
            f"{shown_path(lesson.pristine)}, which contains the stub, cannot be read: {error.strerror}. Copy it again "
            "from where you got the exercises."
        ) from error
    with write_errors(shown_path(path)):
        if os.path.lexists(path):
            names = (path.with_name(f"{BACKWARD_FILE}{KEPT_BY_RESET}{number}") for number in itertools.count(1))
            kept = path.rename(next(name for name in names if not os.path.lexists(name)))
        path.write_bytes(stub)
    return kept
