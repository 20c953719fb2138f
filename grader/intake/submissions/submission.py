"""Reads one submission: a folder, an archive, a notebook or a Python file. Nothing of it is run or trusted."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.archive import is_archive, unpacked
from grader.intake.submissions.lesson_files import MAIN, LessonFiles, Unreadable, read_file
from grader.intake.submissions.notebook_files import PageRead, nothing_gradable, read_lecture_script, read_page
from grader.intake.submissions.places import (
    NOTEBOOK,
    Inside,
    innermost,
    loose_file,
    message_of_absence,
    names_lesson,
    suffix_of,
    visible,
)
from grader.intake.submissions.unpacking import ArchiveRefused
from grader.lesson.lesson import Lesson

MAX_FILES = 64
MAX_ENTRIES = 10_000


@dataclass(frozen=True)
class Submission:
    """What one student submitted.

    Attributes:
        lessons: {lesson's name: its files}.
        message: why nothing is graded.
        note: what else the results say, such as which of several submissions counts.
        submitted: when it was submitted, with a time zone; None if the platform does not say so.
    """

    student: str
    path: Path
    lessons: dict[str, LessonFiles]
    message: str | None = None
    note: str | None = None
    submitted: datetime | None = None

    @property
    def full_message(self) -> str | None:
        """`message` and `note`, for the results."""
        return " ".join(part for part in (self.message, self.note) if part) or None

    @property
    def sha256(self) -> str:
        """A digest of everything that is graded: lessons, file names and bytes."""
        total = hashlib.sha256()
        for lesson, submitted in sorted(self.lessons.items()):
            for name, source in sorted(submitted.files.items()):
                for part in (lesson.encode(), os.fsencode(name), source):
                    total.update(len(part).to_bytes(8, "big") + part)
            if submitted.origin is not None:
                total.update(submitted.origin.fingerprint)
        return total.hexdigest()


def rejected_files(lesson: Lesson, message: object) -> LessonFiles:
    """A lesson whose files may not be graded."""
    return LessonFiles(lesson.name, message=str(message), rejected=True)


def not_submitted(folder: Inside | Path, lesson: Lesson) -> LessonFiles:
    """A lesson without files. A folder that may be meant as the lesson counts as an attempt."""
    message = message_of_absence(folder, lesson)
    return LessonFiles(lesson.name, message=message, nothing="did you mean" not in message)


def read_lesson(folder: Inside, lesson: Lesson, alone: bool) -> LessonFiles:
    """What a folder contains for `lesson`. With `alone`, a backward.py directly inside counts as well."""
    place = folder.lesson_folder(lesson)
    if place is None and alone and any(suffix_of(path) == ".py" for path in folder.entries):
        place = folder.folder
    if place is None:
        named = [path for path in folder.gradable if names_lesson(path.stem, lesson) and not is_archive(path)]
        return read_loose(named[0], lesson) if len(named) == 1 else not_submitted(folder, lesson)
    inside = "" if place is folder.folder else place.name + "/"
    entries = folder.entries if place is folder.folder else visible(place)
    sources = [path for path in entries if suffix_of(path) == ".py"]
    names = [path.name for path in sources]
    main_names = [name for name in names if name.lower() == MAIN]
    main = MAIN if MAIN in names else main_names[0] if len(main_names) == 1 else None
    if main is None:
        notebooks = [path for path in entries if suffix_of(path) == NOTEBOOK]
        if len(notebooks) == 1:
            return read_notebook_file(notebooks[0], lesson, inside + notebooks[0].name)
        return LessonFiles(lesson.name, message=f"{inside}{MAIN} is missing{without_main(inside, names, notebooks)}")
    if len(sources) > MAX_FILES:
        where = inside or "The folder"
        return rejected_files(lesson, f"{where} holds {len(sources)} Python files; at most {MAX_FILES} are read.")
    files, left_out = {}, None
    for path in sources:
        try:
            files[MAIN if path.name == main else path.name] = read_file(path)
        except Unreadable as error:
            if path.name == main:
                return rejected_files(lesson, error)
            left_out = str(error)
    script = read_lecture_script(lesson, files[MAIN], inside + main)
    return script or LessonFiles(lesson.name, files, shown=inside + main, message=left_out)


def without_main(inside: str, names: Sequence[str], notebooks: Sequence[Path]) -> str:
    """The rest of the sentence about a lesson's folder without MAIN: what the folder contains instead."""
    similar = difflib.get_close_matches(MAIN, names[:MAX_FILES], n=1, cutoff=0.5)
    similar = similar or [name for name in names if "backward" in name.lower()]
    if similar or len(names) == 1:
        return f"; there is {inside}{(similar or names)[0]}. Rename it to {MAIN} and hand in again."
    if names:
        return f"; found {', '.join(names[:5])} instead."
    if notebooks:
        return f"; of {len(notebooks)} notebooks, hand in the one that counts."
    return ", and there is no Python file beside it."


def read_loose(path: Path, lesson: Lesson) -> LessonFiles:
    """A notebook or a Python file of any name, for this one lesson."""
    if suffix_of(path) == NOTEBOOK:
        return read_notebook_file(path, lesson, path.name)
    try:
        source = read_file(path)
    except Unreadable as error:
        return rejected_files(lesson, error)
    return read_lecture_script(lesson, source, path.name) or LessonFiles(lesson.name, {MAIN: source}, shown=path.name)


def read_notebook_file(path: Path, lesson: Lesson, shown: str) -> LessonFiles:
    """A notebook in a lesson's folder: in the lecture's manner, or with the stub's functions."""
    try:
        return read_page(path, shown, [lesson], functions=True).lessons[lesson.name]
    except Unreadable as error:
        return rejected_files(lesson, error)
    except NotebookError as error:
        return rejected_files(lesson, f"{shown} cannot be read: {error}")


def read_submission(path: Path, student: str, lessons: Sequence[Lesson]) -> Submission:
    """Reads a folder of lessons, an archive of one, a notebook, or a Python file for the only lesson of `lessons`."""
    refused = Submission(student, path, {})
    if path.is_symlink():
        return replace(refused, message=f"{path.name} is a link. Hand in the folder or file itself.")
    try:
        if path.is_file() and is_archive(path):
            with unpacked(path) as folder:
                return replace(read_submission(folder, student, lessons), path=path)
    except (ArchiveRefused, OSError) as error:
        return replace(refused, message=str(error))
    if path.is_file() and suffix_of(path) in (".py", NOTEBOOK):
        return read_single(path, student, lessons)
    if path.is_file():
        expected = f"expected a folder or an archive with NN_name/{MAIN}, a notebook, or a .py file."
        return replace(refused, message=f"{path.name} cannot be read: {expected}")
    try:
        return read_folder(path, student, lessons)
    except OSError as error:
        return replace(refused, message=f"{path.name} cannot be read: {error.strerror}.")


def read_folder(path: Path, student: str, lessons: Sequence[Lesson]) -> Submission:
    """The same for a folder. Raises OSError."""
    inside = Inside(path)
    if not inside.entries:
        empty = {name: f"The folder is empty: expected {name}/{MAIN}." for name in (each.name for each in lessons)}
        files = {name: LessonFiles(name, message=message, nothing=True) for name, message in empty.items()}
        return Submission(student, path, files)
    if len(inside.entries) > MAX_ENTRIES:
        message = f"{path.name} holds {len(inside.entries):,} files and folders; at most {MAX_ENTRIES:,} are read."
        return Submission(student, path, {}, message=message)
    folder = innermost(path, lessons)
    inside = inside if folder == path else Inside(folder)
    loose = loose_file(inside, lessons)
    if loose is not None:
        return replace(read_submission(loose, student, lessons), path=path)
    submitted = {lesson.name: read_lesson(inside, lesson, len(lessons) == 1) for lesson in lessons}
    archives = [entry.name for entry in inside.gradable if is_archive(entry)]
    if len(archives) > 1 and not any(each.present or each.rejected for each in submitted.values()):
        message = f"{len(archives)} archives were handed in ({', '.join(archives[:5])}): hand in one with all lessons."
        return Submission(student, path, {}, message=message)
    return Submission(student, path, submitted)


def read_single(path: Path, student: str, lessons: Sequence[Lesson]) -> Submission:
    """A notebook or one Python file: for the only lesson, or in the lecture's manner for several."""
    alone = len(lessons) == 1
    if not alone and (named := [lesson for lesson in lessons if names_lesson(path.stem, lesson)]):
        absent = {lesson.name: not_submitted(path, lesson) for lesson in lessons}
        return Submission(student, path, absent | {lesson.name: read_loose(path, lesson) for lesson in named})
    try:
        page = read_page(path, path.name, lessons, functions=alone)
    except Unreadable as error:
        if alone:
            return Submission(student, path, {lessons[0].name: rejected_files(lessons[0], error)})
        return Submission(student, path, {}, message=str(error))
    except NotebookError as error:
        if not (suffix_of(path) == ".py" and alone):
            return Submission(student, path, {}, message=f"{path.name} cannot be read: {error}")
        page = PageRead({})
    if any(each.present for each in page.lessons.values()):
        return Submission(student, path, page.lessons)
    if suffix_of(path) == ".py" and alone:
        name = lessons[0].name
        return Submission(student, path, {name: LessonFiles(name, {MAIN: read_file(path)}, shown=path.name)})
    if suffix_of(path) == ".py":
        message = f"{path.name} is a single file: say which lesson it is for, with --lesson."
        return Submission(student, path, {}, message=message)
    faults = {each.message for each in page.lessons.values() if each.rejected}
    if faults or alone:
        return Submission(student, path, page.lessons, message=faults.pop() if faults else None)
    return Submission(student, path, {}, message=nothing_gradable(path.name, page.defined))
