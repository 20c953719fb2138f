"""What is in a class's folder, by the names of its entries: what may be submitted, and what is the instructor's."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from grader.intake.submissions.archive import is_archive
from grader.intake.submissions.file_kinds import NOTEBOOK, is_clutter, suffix_of
from grader.intake.submissions.lesson_names import is_named
from grader.intake.submissions.people import is_reserved
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

LESSON = re.compile(r"\d\d(_[a-z]|$)")
KIT = "exercises"
RESULTS_MARKER = "gradebook.sqlite"
"""What makes a folder one that `grade run -o` wrote, such as `grades` next to the submissions that were graded."""
CLASS_SUFFIXES = (".csv", ".toml", ".yml", ".yaml")
CLASS_STEMS = ("readme", "license", "requirements", "makefile", "dockerfile")


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


def holds_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether `folder` is a submission, not a folder of submissions: a lesson's folder or a backward.py is in it.

    A folder called by a number alone may be a student's, called by an id: then lessons' folders are in it.
    """
    with suppress(OSError):
        named = [path for path in folders(folder) if any(is_named(path.name, each) for each in lessons)]
        is_lessons = any(not (path.name.isdigit() and holds_lessons(path)) for path in named)
        return is_lessons or (folder / BACKWARD_FILE).is_file()
    return False


def holds_lessons(folder: Path) -> bool:
    """Whether folders inside are called NN_name or NN, as the lessons of any course are."""
    with suppress(OSError):  # a student's folder that may not be read: the message comes when it is graded
        return any(LESSON.match(path.name.lower()) for path in folders(folder))
    return False
