"""Finding submissions and reading their files, without running or trusting any of them."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.archive import MOST_DEPTH, ArchiveRefused, is_archive, stem, unpacked
from grader.lesson import Lesson

MAIN = "backward.py"
MAX_FILE_BYTES = 1 << 20
MAX_FILES = 64
CLUTTER = {"__pycache__", "__MACOSX", "node_modules", "venv"}
RESERVED = {"index.html", "grades.csv", "gradebook.sqlite"}


class SubmissionError(Exception):
    """Nothing to grade was found where the command line says; the text is one sentence."""


@dataclass(frozen=True)
class Handed:
    """What a student handed in for one lesson: files by name, or (`message`) why there are none or some left out."""

    lesson: str
    files: dict[str, bytes] = field(default_factory=dict)
    shown: str = f"{MAIN}"  # the graded file's path inside the submission, for messages
    message: str | None = None
    rejected: bool = False

    @property
    def present(self) -> bool:
        return MAIN in self.files


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
        return total.hexdigest()


class Unreadable(Exception):
    """A file that is not read: too large, no regular file, a link. The text is a sentence."""


def read_file(path: Path) -> bytes:
    """A regular file's bytes. Links are refused: one could point at the answer key. Raises Unreadable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        reason = "it is a link" if path.is_symlink() else error.strerror
        raise Unreadable(f"{path.name} cannot be read: {reason}. Hand in the file itself.") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise Unreadable(f"{path.name} is no ordinary file. Hand in a Python file.")
    with os.fdopen(descriptor, "rb") as file:
        if status.st_size > MAX_FILE_BYTES:
            raise Unreadable(f"{path.name} has {status.st_size:,} bytes; at most {MAX_FILE_BYTES:,} are read.")
        return file.read(MAX_FILE_BYTES + 1)


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
    if MAIN not in names:
        near = difflib.get_close_matches(MAIN, names, n=1, cutoff=0.5) or [n for n in names if "backward" in n.lower()]
        if near or len(names) == 1:
            found = (near or names)[0]
            message = f"{inside}{MAIN} is missing; there is {inside}{found}. Rename it to {MAIN} and hand in again."
        elif names:
            message = f"{inside}{MAIN} is missing; found {', '.join(names[:5])} instead."
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
    return Handed(lesson.name, files, shown=inside + MAIN, message=left_out)


def read_submission(path: Path, student: str, lessons: Sequence[Lesson]) -> Submission:
    """A folder of lessons, an archive of one, or a single Python file for the one lesson asked for."""
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
        if path.suffix == ".py" and alone:
            lesson = lessons[0]
            try:
                handed = Handed(lesson.name, {MAIN: read_file(path)}, shown=path.name)
            except Unreadable as error:
                handed = Handed(lesson.name, message=str(error), rejected=True)
            return Submission(student, path, {lesson.name: handed})
        if path.suffix == ".py":
            return Submission(
                student, path, {}, message=f"{path.name} is a single file: say which lesson it is for, with --lesson."
            )
        return Submission(
            student,
            path,
            {},
            message=f"{path.name} cannot be read: expected a folder or an archive with NN_name/{MAIN}, or a .py file.",
        )
    try:
        folder = innermost(path, lessons)
        return Submission(student, path, {lesson.name: read_lesson(folder, lesson, alone) for lesson in lessons})
    except OSError as error:
        return Submission(student, path, {}, message=f"{path.name} cannot be read: {error.strerror}.")


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
