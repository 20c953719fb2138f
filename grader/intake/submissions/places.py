"""What is in a class's folder, by the names of its entries: what may be submitted, and what is the instructor's."""

from __future__ import annotations

import os
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from grader.intake.submissions.file_kinds import is_archive, is_clutter, is_code
from grader.intake.submissions.people import is_reserved

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
    with suppress(OSError):
        return (folder / RESULTS_MARKER).is_file() and not any(map(is_work, folder.rglob("*")))
    return False


def is_work(path: Path) -> bool:
    """Whether somebody may submit a file of this name. `grade feedback` writes archives next to the results."""
    is_answers = fnmatch(path.name.lower(), "answers*.toml")
    return is_answers or is_code(path) or (is_archive(path) and not path.match("*-feedback.zip"))


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def is_gradable(path: Path) -> bool:
    """Whether it is a Python file, a notebook or an archive."""
    return (is_code(path) or is_archive(path)) and not is_folder(path)


def may_be_submitted(path: Path) -> bool:
    """Whether an entry of a class's folder may be a submission: a gradable file, a folder, or a link to one."""
    return is_code(path) or is_archive(path) or path.is_dir()


def is_the_instructors(path: Path) -> bool:
    """Whether it is a table, settings or a text about a class's folder, or results."""
    is_for_the_class = path.suffix.lower() in CLASS_SUFFIXES or path.stem.lower() in CLASS_STEMS
    return is_for_the_class or is_reserved(path.name)
