"""Where things are in a folder, by their names: what may be submitted, a lesson's folder, the folder of the lessons."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from grader.intake.submissions.archive import is_archive
from grader.intake.submissions.file_kinds import MAX_ARCHIVE_DEPTH, NOTEBOOK, is_clutter, suffix_of
from grader.intake.submissions.people import is_reserved
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

LESSON = re.compile(r"\d\d(_[a-z]|$)")
KIT = "exercises"
RESULTS_MARKER = "gradebook.sqlite"
"""What makes a folder one that `grade run -o` wrote, such as `grades` next to the submissions that were graded."""
CLASS_SUFFIXES = (".csv", ".toml", ".yml", ".yaml")
CLASS_STEMS = ("readme", "license", "requirements", "makefile", "dockerfile")
MAX_SEARCHED = 1_000  # folders in a submission, of which one may hold the lessons


def visible(folder: Path) -> list[Path]:
    """What is inside, without hidden entries, clutter and the results of an earlier run."""
    names = [name for name in sorted(os.listdir(folder)) if not is_clutter(name)]
    return [path for name in names if not holds_results(path := folder / name)]


def holds_results(folder: Path) -> bool:
    """Whether `grade run` wrote the folder, and nothing below it may be submitted.

    The name alone decides nothing: a student may submit a `gradebook.sqlite`. A folder that may not be read counts as
    a submission: the message comes when the submission is read.
    """

    def stop(error: OSError) -> None:
        raise error

    with suppress(OSError):
        return (folder / RESULTS_MARKER).is_file() and not any(
            is_work(Path(name)) for _, _, names in os.walk(folder, onerror=stop) for name in names
        )
    return False


def is_work(path: Path) -> bool:
    """Whether somebody may submit a file of this name. `grade feedback` writes archives next to the results."""
    is_answers = fnmatch(path.name.lower(), "answers*.toml")
    return is_answers or suffix_of(path) in (".py", NOTEBOOK) or (is_archive(path) and not path.match("*-feedback.zip"))


def folders(folder: Path) -> list[Path]:
    return [path for path in visible(folder) if is_folder(path)] if folder.is_dir() else []


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def gradable(folder: Path) -> list[Path]:
    """The Python files, notebooks and archives directly inside."""
    return [path for path in visible(folder) if is_gradable(path)]


def is_gradable(path: Path) -> bool:
    return (suffix_of(path) in (".py", NOTEBOOK) or is_archive(path)) and not is_folder(path)


def possible_submissions(folder: Path) -> list[Path]:
    """The possible submissions directly inside a class's folder: folders, links to folders, gradable files."""
    return [path for path in visible(folder) if may_be_submitted(path)]


def may_be_submitted(path: Path) -> bool:
    return suffix_of(path) in (".py", NOTEBOOK) or is_archive(path) or path.is_dir()


def unread_files(folder: Path) -> list[Path]:
    """The other files directly inside a class's folder: each is somebody's, and has a row that says why it has 0.

    Not tables, settings and texts about the folder, which the instructor or a platform has put there, nor results.
    """
    return [path for path in visible(folder) if not (may_be_submitted(path) or is_the_instructors(path))]


def is_the_instructors(path: Path) -> bool:
    is_for_the_class = path.suffix.lower() in CLASS_SUFFIXES or path.stem.lower() in CLASS_STEMS
    return is_for_the_class or is_reserved(path.name)


class Inside:
    """A folder's entries, listed once: a submission is searched for every lesson. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries = visible(folder) if folder.is_dir() else []

    @cached_property
    def by_name(self) -> dict[str, list[Path]]:
        """{name in small letters: its paths}"""
        found: dict[str, list[Path]] = {}
        for path in self.entries:
            found.setdefault(path.name.lower(), []).append(path)
        return found

    @cached_property
    def folders(self) -> list[Path]:
        return [path for path in self.entries if is_folder(path)]

    @cached_property
    def gradable(self) -> list[Path]:
        return [path for path in self.entries if is_gradable(path)]

    def lesson_folder(self, lesson: Lesson) -> Path | None:
        """The lesson's sub-folder: called by its full name, its number or its name, in any case.

        A folder called by a number alone may be a student's, called by an id: then lessons' folders are in it.
        """
        number, _, rest = lesson.name.lower().partition("_")
        candidates = (path for name in (lesson.name.lower(), rest, number) for path in self.by_name.get(name, ()))
        return next(
            (path for path in candidates if is_folder(path) and not (path.name == number and holds_lessons(path))), None
        )

    def holds(self, lessons: Sequence[Lesson]) -> bool:
        """Whether it contains the folder of one of the lessons."""
        return any(self.lesson_folder(lesson) is not None for lesson in lessons)


def holds_lessons(folder: Path) -> bool:
    """Whether folders inside are called NN_name or NN, as the lessons of any course are."""
    with suppress(OSError):  # a student's folder that may not be read: the message comes when it is graded
        return any(LESSON.match(path.name.lower()) for path in folders(folder))
    return False


def names_lesson(stem: str, lesson: Lesson) -> bool:
    """Whether a file is named after the lesson: 03_makemore_steps, 03-makemore-steps, 03_makemore_steps_backward."""
    plain = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    return plain.removesuffix("_backward").removeprefix("backward_") == lesson.name.lower()


def innermost(folder: Path, lessons: Sequence[Lesson]) -> Path:
    """The folder that contains the lessons: `folder`, or the only one in it, or the only one in it with lessons."""
    for _ in range(MAX_ARCHIVE_DEPTH):
        here = Inside(folder)
        if here.holds(lessons) or (folder / BACKWARD_FILE).is_file() or len(here.folders) > MAX_SEARCHED:
            break
        holding = [path for path in here.folders if Inside(path).holds(lessons)]
        if len(holding) == 1:
            return holding[0]
        if len(here.folders) != 1 or here.gradable or is_a_lesson(here.folders[0], lessons):
            break
        folder = here.folders[0]
    return folder


def is_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether a folder looks like a lesson's: one that is not graded now, or a misnamed one."""
    if re.match(r"\d+(_|$)|lesson[ _-]*\d", folder.name.lower()):
        return True
    return len(lessons) > 1 and any(suffix_of(path) == ".py" for path in gradable(folder))


def holds_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether `folder` is itself a submission, not a folder of submissions."""
    with suppress(OSError):
        return Inside(folder).holds(lessons) or (folder / BACKWARD_FILE).is_file()
    return False
