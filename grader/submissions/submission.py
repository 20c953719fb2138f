"""Finding submissions and reading their files, without running or trusting any of them."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.lesson import Lesson
from grader.notebook.cells import NotebookError
from grader.notebook.handed_in import NOTEBOOK, as_a_script, from_notebook, read_cells, without_gradients
from grader.submissions.archive import MOST_DEPTH, ArchiveRefused, is_archive, stem, unpacked
from grader.submissions.handed import MAIN as MAIN
from grader.submissions.handed import MAX_FILE_BYTES as MAX_FILE_BYTES
from grader.submissions.handed import Handed as Handed
from grader.submissions.handed import Unreadable as Unreadable
from grader.submissions.handed import read_file as read_file

MAX_FILES = 64
CLUTTER = {"__pycache__", "__MACOSX", "node_modules", "venv"}
RESERVED = {"index.html", "grades.csv", "gradebook.sqlite"}


class SubmissionError(Exception):
    """Nothing to grade was found where the command line says; the text is one sentence."""


@dataclass(frozen=True)
class Submission:
    student: str
    path: Path
    handed: dict[str, Handed]
    message: str | None = None

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


def visible(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if not p.name.startswith(".") and p.name not in CLUTTER)


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def lesson_folder(folder: Path, lesson: Lesson) -> Path | None:
    """The sub-folder that a lesson was handed in as: its full name, its number or its name, in any case."""
    number, _, rest = lesson.name.partition("_")
    for wanted in (lesson.name, rest, number):
        for path in visible(folder):
            if is_folder(path) and path.name.lower() == wanted.lower():
                return path
    return None


def read_lesson(folder: Path, lesson: Lesson, alone: bool) -> Handed:
    """What `folder` holds for `lesson`. With `alone`, a backward.py right inside it counts as well."""
    place = lesson_folder(folder, lesson)
    if place is None and alone and any(p.suffix == ".py" for p in visible(folder)):
        place = folder
    if place is None:
        return Handed(lesson.name, message=f"No folder {lesson.name} was handed in: expected {lesson.name}/{MAIN}.")
    inside = "" if place is folder else place.name + "/"
    sources = [p for p in visible(place) if p.suffix == ".py"]
    names = [p.name for p in sources]
    notebooks = [p for p in visible(place) if p.suffix == NOTEBOOK]
    if MAIN not in names and len(notebooks) == 1:
        return read_notebook(notebooks[0], lesson, inside + notebooks[0].name)
    if MAIN not in names:
        near = difflib.get_close_matches(MAIN, names, n=1, cutoff=0.5) or [n for n in names if "backward" in n.lower()]
        if near or len(names) == 1:
            found = (near or names)[0]
            message = f"{inside}{MAIN} is missing; there is {inside}{found}. Rename it to {MAIN} and hand in again."
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
            files[path.name] = read_file(path)
        except Unreadable as error:
            if path.name == MAIN:
                return Handed(lesson.name, message=str(error), rejected=True)
            left_out = str(error)
    script = as_a_script(lesson, files[MAIN], inside + MAIN)
    return script or Handed(lesson.name, files, shown=inside + MAIN, message=left_out)


def read_notebook(path: Path, lesson: Lesson, shown: str) -> Handed:
    """A notebook in a lesson's folder: in the manner of the lecture's, or with the stub's functions."""
    try:
        return from_notebook(lesson, read_cells(path, shown), shown)
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
        if path.suffix in (".py", NOTEBOOK):
            return read_single(path, student, lessons)
        return Submission(
            student,
            path,
            {},
            message=f"{path.name} cannot be read: expected a folder or an archive with NN_name/{MAIN}, a notebook, "
            "or a .py file.",
        )
    try:
        folder = innermost(path, lessons)
        loose = loose_file(folder, lessons)
        if loose is not None:
            return replace(read_single(loose, student, lessons), path=path)
        return Submission(student, path, {lesson.name: read_lesson(folder, lesson, alone) for lesson in lessons})
    except OSError as error:
        return Submission(student, path, {}, message=f"{path.name} cannot be read: {error.strerror}.")


def loose_file(folder: Path, lessons: Sequence[Lesson]) -> Path | None:
    """The one notebook of a folder that holds no lesson's folder and no Python file, if that is how it is."""
    inside = visible(folder)
    notebooks = [path for path in inside if path.suffix == NOTEBOOK]
    other = holds_a_lesson(folder, lessons) or any(path.suffix == ".py" for path in inside)
    return notebooks[0] if len(notebooks) == 1 and not other else None


def read_single(path: Path, student: str, lessons: Sequence[Lesson]) -> Submission:
    """A notebook, or one Python file: for the one lesson asked for, or in the manner of the lecture for several."""
    alone = len(lessons) == 1
    try:
        cells = read_cells(path)
    except Unreadable as error:
        rejected = {lesson.name: Handed(lesson.name, message=str(error), rejected=True) for lesson in lessons}
        return Submission(student, path, rejected if alone else {}, message=None if alone else str(error))
    except NotebookError as error:
        return Submission(student, path, {}, message=f"{path.name} cannot be read: {error}")
    handed = {lesson.name: from_notebook(lesson, cells, path.name, functions=alone) for lesson in lessons}
    if any(each.present for each in handed.values()):
        return Submission(student, path, handed)
    if path.suffix == ".py" and alone:
        lesson = lessons[0]
        return Submission(student, path, {lesson.name: Handed(lesson.name, {MAIN: read_file(path)}, shown=path.name)})
    if path.suffix == ".py":
        message = f"{path.name} is a single file: say which lesson it is for, with --lesson."
        return Submission(student, path, {}, message=message)
    faults = {each.message for each in handed.values() if each.rejected}
    if faults or alone:
        return Submission(student, path, handed, message=faults.pop() if faults else None)
    return Submission(student, path, {}, message=without_gradients(path.name, cells))


def innermost(folder: Path, lessons: Sequence[Lesson]) -> Path:
    """The folder that holds the lessons, where it stands alone in another one (as archives often have it)."""
    for _ in range(MOST_DEPTH):
        inside = visible(folder)
        if len(inside) != 1 or not is_folder(inside[0]) or holds_a_lesson(folder, lessons):
            break
        if re.match(r"\d+(_|$)", inside[0].name):  # a lesson, though not one that is graded now
            break
        folder = inside[0]
    return folder


def holds_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether `folder` is itself a submission, not a folder of them."""
    return any(lesson_folder(folder, lesson) is not None for lesson in lessons) or (folder / MAIN).is_file()


def find(paths: Iterable[Path], lessons: Sequence[Lesson], all_lessons: Sequence[Lesson]) -> list[Submission]:
    """Every submission under `paths`, one a student, in order of name.

    A path is a submission, or a folder with one submission (a folder or a file) for each student. Raises
    SubmissionError for a path that does not exist or holds nothing.
    """
    try:
        found = [entry for path in paths for entry in submissions_at(path, all_lessons)]
    except OSError as error:
        raise SubmissionError(f"{error.filename} cannot be read: {error.strerror}.") from error
    return [read_submission(path, student, lessons) for student, path in unique(found)]


def submissions_at(given: Path, all_lessons: Sequence[Lesson]) -> list[tuple[str, Path]]:
    """(student, path) for each submission that `given` stands for. Raises SubmissionError, OSError."""
    if not given.exists():
        raise SubmissionError(
            f"{given} does not exist: give a submission, or a folder that holds one for each student."
        )
    path = given.resolve()  # whoever runs this may name a link; a submission that is one is refused
    if path.is_dir() and not holds_a_lesson(path, all_lessons):
        inside = [p for p in visible(path) if p.is_dir() or p.suffix in (".py", ".ipynb") or is_archive(p)]
        if not inside:
            raise SubmissionError(
                f"{given} holds no submissions: expected a folder for each student, with NN_name/{MAIN} inside."
            )
        return [(p.name if p.is_dir() else stem(p), p) for p in inside]
    name = path.name if given.name in ("", ".", "..") else given.name
    return [(name if path.is_dir() else stem(Path(name)), path)]


def unique(found: list[tuple[str, Path]]) -> list[tuple[str, Path]]:
    """Names made safe as folder names beside index.html, and different from each other on any disk."""
    result, taken = [], set(RESERVED)
    for student, path in sorted(found, key=lambda entry: entry[0].lower()):
        student = student.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # a name that is no Unicode
        name, count = student, 1
        while name.lower() in taken:
            count += 1
            name = f"{student}-{count}"
        taken.add(name.lower())
        result.append((name, path))
    return result
