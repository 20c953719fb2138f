"""Reading one submission: a folder, an archive, a notebook or a Python file; nothing of it is run or trusted."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.archive import ArchiveRefused, is_archive, unpacked
from grader.intake.submissions.handed import MAIN as MAIN
from grader.intake.submissions.handed import MAX_FILE_BYTES as MAX_FILE_BYTES
from grader.intake.submissions.handed import Handed as Handed
from grader.intake.submissions.handed import Unreadable as Unreadable
from grader.intake.submissions.handed import read_file as read_file
from grader.intake.submissions.notebook_files import PageRead, as_a_script, read_page, without_gradients
from grader.intake.submissions.places import (
    NOTEBOOK,
    Inside,
    absent,
    innermost,
    kind,
    loose_file,
    names_lesson,
    visible,
)
from grader.lesson.lesson import Lesson

MAX_FILES = 64
MAX_ENTRIES = 10_000


@dataclass(frozen=True)
class Submission:
    """`message` says why nothing is graded; `note` is what else is to be told: of several, which one counts."""

    student: str
    path: Path
    handed: dict[str, Handed]
    message: str | None = None
    note: str | None = None

    @property
    def told(self) -> str | None:
        """Both, for the results."""
        return " ".join(part for part in (self.message, self.note) if part) or None

    @property
    def sha256(self) -> str:
        """Of everything that is graded: lesson, file name and bytes."""
        total = hashlib.sha256()
        for lesson, handed in sorted(self.handed.items()):
            for name, source in sorted(handed.files.items()):
                for part in (lesson.encode(), os.fsencode(name), source):
                    total.update(len(part).to_bytes(8, "big") + part)
            if handed.origin is not None:
                total.update(handed.origin.fingerprint)
        return total.hexdigest()


@cache
def nothing_in_it(lesson: str) -> Handed:
    return Handed(lesson, message=f"The folder is empty: expected {lesson}/{MAIN}.", nothing=True)


def not_there(found: Inside | Path, lesson: Lesson) -> Handed:
    """A lesson that was not submitted; a folder or file that may be meant as it is an attempt."""
    message = absent(found, lesson)
    return Handed(lesson.name, message=message, nothing="did you mean" not in message)


def read_lesson(found: Inside, lesson: Lesson, alone: bool) -> Handed:
    """What a folder holds for `lesson`. With `alone`, a backward.py right inside it counts as well."""
    place = found.lesson_folder(lesson)
    if place is None and alone and any(kind(p) == ".py" for p in found.entries):
        place = found.folder
    if place is None:
        named = [path for path in found.gradable if names_lesson(path.stem, lesson) and not is_archive(path)]
        return read_loose(named[0], lesson) if len(named) == 1 else not_there(found, lesson)
    inside = "" if place is found.folder else place.name + "/"
    files_there = found.entries if place is found.folder else visible(place)
    sources = [p for p in files_there if kind(p) == ".py"]
    names = [p.name for p in sources]
    notebooks = [p for p in files_there if kind(p) == NOTEBOOK]
    called = [name for name in names if name.lower() == MAIN]
    main = MAIN if MAIN in names else called[0] if len(called) == 1 else None
    if main is None and len(notebooks) == 1:
        return read_notebook(notebooks[0], lesson, inside + notebooks[0].name)
    if main is None:
        near = difflib.get_close_matches(MAIN, names[:MAX_FILES], n=1, cutoff=0.5) or [
            n for n in names if "backward" in n.lower()
        ]
        if near or len(names) == 1:
            similar = (near or names)[0]
            message = f"{inside}{MAIN} is missing; there is {inside}{similar}. Rename it to {MAIN} and hand in again."
        elif names:
            message = f"{inside}{MAIN} is missing; found {', '.join(names[:5])} instead."
        elif notebooks:
            message = f"{inside}{MAIN} is missing; of {len(notebooks)} notebooks, hand in the one that counts."
        else:
            message = f"{inside}{MAIN} is missing, and there is no Python file beside it."
        return Handed(lesson.name, message=message)
    if len(sources) > MAX_FILES:
        return Handed(
            lesson.name,
            message=f"{inside or 'The folder'} holds {len(sources)} Python files; at most {MAX_FILES} are read.",
            rejected=True,
        )
    files, left_out = {}, None
    for path in sources:
        try:
            files[MAIN if path.name == main else path.name] = read_file(path)
        except Unreadable as error:
            if path.name == main:
                return Handed(lesson.name, message=str(error), rejected=True)
            left_out = str(error)
    script = as_a_script(lesson, files[MAIN], inside + main)
    return script or Handed(lesson.name, files, shown=inside + main, message=left_out)


def read_loose(path: Path, lesson: Lesson) -> Handed:
    """A notebook or a Python file of any name, for this one lesson."""
    if kind(path) == NOTEBOOK:
        return read_notebook(path, lesson, path.name)
    try:
        source = read_file(path)
    except Unreadable as error:
        return Handed(lesson.name, message=str(error), rejected=True)
    return as_a_script(lesson, source, path.name) or Handed(lesson.name, {MAIN: source}, shown=path.name)


def read_notebook(path: Path, lesson: Lesson, shown: str) -> Handed:
    """A notebook in a lesson's folder: in the manner of the lecture's, or with the stub's functions."""
    try:
        return read_page(path, shown, [lesson], functions=True).handed[lesson.name]
    except Unreadable as error:
        return Handed(lesson.name, message=str(error), rejected=True)
    except NotebookError as error:
        return Handed(lesson.name, message=f"{shown} cannot be read: {error}", rejected=True)


def read_submission(path: Path, student: str, lessons: Sequence[Lesson]) -> Submission:
    """A folder of lessons, an archive of one, a notebook, or a single Python file for the one lesson asked for."""
    alone = len(lessons) == 1
    if path.is_file() and not path.is_symlink() and is_archive(path):
        try:
            with unpacked(path) as folder:
                return replace(read_submission(folder, student, lessons), path=path)
        except (ArchiveRefused, OSError) as error:
            return Submission(student, path, {}, message=str(error))
    if path.is_symlink():
        return Submission(student, path, {}, message=f"{path.name} is a link. Hand in the folder or file itself.")
    if path.is_file():
        if kind(path) in (".py", NOTEBOOK):
            return read_single(path, student, lessons)
        return Submission(
            student,
            path,
            {},
            message=f"{path.name} cannot be read: expected a folder or an archive with NN_name/{MAIN}, a notebook, "
            "or a .py file.",
        )
    try:
        inside = Inside(path)
        if not inside.entries:
            return Submission(student, path, {lesson.name: nothing_in_it(lesson.name) for lesson in lessons})
        if len(inside.entries) > MAX_ENTRIES:
            message = f"{path.name} holds {len(inside.entries):,} files and folders; at most {MAX_ENTRIES:,} are read."
            return Submission(student, path, {}, message=message)
        folder = innermost(path, lessons)
        inside = inside if folder == path else Inside(folder)
        loose = loose_file(inside, lessons)
        if loose is not None:
            return replace(read_submission(loose, student, lessons), path=path)
        handed = {lesson.name: read_lesson(inside, lesson, alone) for lesson in lessons}
        archives = [entry.name for entry in inside.gradable if is_archive(entry)]
        if len(archives) > 1 and not any(each.present or each.rejected for each in handed.values()):
            message = (
                f"{len(archives)} archives were handed in ({', '.join(archives[:5])}): hand in one with all lessons."
            )
            return Submission(student, path, {}, message=message)
        return Submission(student, path, handed)
    except OSError as error:
        return Submission(student, path, {}, message=f"{path.name} cannot be read: {error.strerror}.")


def read_single(path: Path, student: str, lessons: Sequence[Lesson]) -> Submission:
    """A notebook, or one Python file: for the one lesson asked for, or in the manner of the lecture for several."""
    alone = len(lessons) == 1
    if not alone and (named := [lesson for lesson in lessons if names_lesson(path.stem, lesson)]):
        nothing = {lesson.name: not_there(path, lesson) for lesson in lessons}
        return Submission(student, path, nothing | {lesson.name: read_loose(path, lesson) for lesson in named})
    try:
        page = read_page(path, path.name, lessons, functions=alone)
    except Unreadable as error:
        rejected = {lesson.name: Handed(lesson.name, message=str(error), rejected=True) for lesson in lessons}
        return Submission(student, path, rejected if alone else {}, message=None if alone else str(error))
    except NotebookError as error:
        if not (kind(path) == ".py" and alone):
            return Submission(student, path, {}, message=f"{path.name} cannot be read: {error}")
        page = PageRead({})
    handed = page.handed
    if any(each.present for each in handed.values()):
        return Submission(student, path, handed)
    if kind(path) == ".py" and alone:
        lesson = lessons[0]
        return Submission(student, path, {lesson.name: Handed(lesson.name, {MAIN: read_file(path)}, shown=path.name)})
    if kind(path) == ".py":
        message = f"{path.name} is a single file: say which lesson it is for, with --lesson."
        return Submission(student, path, {}, message=message)
    faults = {each.message for each in handed.values() if each.rejected}
    if faults or alone:
        return Submission(student, path, handed, message=faults.pop() if faults else None)
    return Submission(student, path, {}, message=without_gradients(path.name, page.defined))
