"""The files submitted for one lesson: a Python file with what it imports, or what a notebook or script has of it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from grader.intake.notebook.as_file import NotebookReading, Origin
from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.limited_reading import read_notebook_limited
from grader.intake.submissions.file_kinds import CLUTTER, Unreadable, read_submitted, stem_of, suffix_of
from grader.intake.submissions.fitting import Fit
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.reader import ReadingFailed, ReadingStopped

MAX_PACKAGE_FILES = 64
"""Python files that are read of one package; a package with more is left out."""
MAX_SEARCHED_PACKAGE_FILES = 1_000
IMPORT_LINE = re.compile(r"\b(?:from|import|import_module|__import__)\b([^\n#(]*(?:\([^)]*)?)")


@dataclass(frozen=True)
class LessonFiles:
    """What a student submitted for one lesson.

    Attributes:
        lesson: the lesson's name.
        files: {name: bytes}; the graded file is called BACKWARD_FILE.
        shown: the graded file's path inside the submission, for messages.
        message: why there are no files, or why some are left out.
        rejected: the files may not be graded, for the reason in `message`.
        origin: where the files' lines come from, when they were made from a notebook.
        nothing: the submission has neither the lesson nor anything that may be meant as it.
        answers: the bytes of its answers.toml; `answers_shown` is that file's path inside the submission.
        answers_name: another name, id or address of the student's for which that file was written; "" for the name
            in the results.
    """

    lesson: str
    files: dict[str, bytes] = field(default_factory=dict)
    shown: str = BACKWARD_FILE
    message: str | None = None
    rejected: bool = False
    origin: Origin | None = None
    nothing: bool = False
    answers: bytes | None = None
    answers_shown: str = ""
    answers_name: str = ""

    @property
    def present(self) -> bool:
        return BACKWARD_FILE in self.files

    @property
    def is_chain(self) -> bool:
        """Whether it assigns gradients as the lecture's notebook does, instead of defining the stub's functions."""
        return self.origin is not None and self.origin.sizes is not None

    @property
    def in_place(self) -> LessonFiles:
        """The same, of a Python file that has the lesson's place or name: it is no notebook, whatever it contains."""
        return self if self.origin is None else replace(self, origin=replace(self.origin, uncounted=()))


def imported_files(main: Path, source: bytes) -> tuple[dict[str, bytes], str | None]:
    """({path: bytes} of the files next to `main` that its text `source` imports, and these; why one is left out).

    A folder is a package: all its Python files are read, also in subfolders. Raises OSError, IncompleteDownload.
    """
    nearby = dict[str, Path]()
    for entry in sorted(os.scandir(main.parent), key=lambda entry: (not entry.is_dir(), entry.name)):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False) and entry.name not in CLUTTER:
            nearby[entry.name] = path
        elif not entry.is_dir() and suffix_of(path) == ".py" and entry.name not in (main.name, BACKWARD_FILE):
            nearby.setdefault(stem_of(path), path)
    found, left_out, waiting = dict[str, bytes](), None, [source]
    while waiting:
        lines = IMPORT_LINE.findall(waiting.pop().decode("utf-8", "replace"))
        for name in sorted(nearby.keys() & {word for line in lines for word in re.findall(r"\w+", line)}):
            path = nearby.pop(name)
            for each in package_files(path) if path.is_dir() else [path]:
                try:
                    waiting.append(read_submitted(each))
                    found[each.relative_to(main.parent).as_posix()] = waiting[-1]
                except Unreadable as error:
                    left_out = str(error)
    return found, left_out


def package_files(folder: Path) -> list[Path]:
    """A package's Python files, none where there are too many. Links are refused where they are read."""
    paths = sorted(islice(folder.rglob("*.py"), MAX_SEARCHED_PACKAGE_FILES))
    own = [path for path in paths if CLUTTER.isdisjoint(path.relative_to(folder).parts)]
    return own if len(own) <= MAX_PACKAGE_FILES else []


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
