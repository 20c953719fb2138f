"""Finding submissions: whose there are under the paths that a command line names, each read only when it is needed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import overload

from grader.errors import UserError
from grader.intake.submissions.archive import (
    METADATA,
    is_archive,
    names_in,
    stem,
    unpack_class,
)
from grader.intake.submissions.arrival import Arrival, NewFolder, counted
from grader.intake.submissions.claims import Claim, join
from grader.intake.submissions.downloads import (
    AGAIN,
    MOODLE,
    canvas_files,
    from_canvas,
    from_classroom,
    from_moodle,
    plain,
)
from grader.intake.submissions.gradescope import NAME as EXPORTED
from grader.intake.submissions.gradescope import MetadataError, from_gradescope
from grader.intake.submissions.lesson_files import MAIN
from grader.intake.submissions.people import alike, as_folder, is_reserved
from grader.intake.submissions.places import CLUTTER, NOTEBOOK, folders, gradable, holds_a_lesson, kind
from grader.intake.submissions.roster import Attendance, Roster
from grader.intake.submissions.submission import Submission, read_submission
from grader.intake.submissions.unpacking import ArchiveRefused
from grader.lesson.lesson import Lesson

KIT = "exercises"
MOST_NAMES = 2_000  # in a submission, by which it is decided whether it is read before it is graded


class SubmissionError(UserError):
    """Nothing to grade was found where the command line says; the text is one sentence."""


class Found(Sequence[Submission]):
    """The submissions in order of name; each is read from disk when it is needed, so that memory holds few.

    `folder` holds what was unpacked or copied, if anything was, and goes away with this object. With a roster,
    `attendance` says who submitted. `remarks` are sentences for the instructor. `other_names` are {student: the names
    under which a run without this roster, or with less in it, graded the same submission}.
    """

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self.folder: Path | None = None
        self.arrivals: list[Arrival] = []
        self.attendance: Attendance | None = None
        self.remarks: tuple[str, ...] = ()
        self.other_names: dict[str, tuple[str, ...]] = {}
        self._lessons = tuple(lessons)

    @overload
    def __getitem__(self, place: int) -> Submission: ...
    @overload
    def __getitem__(self, place: slice) -> list[Submission]: ...
    def __getitem__(self, place: int | slice) -> Submission | list[Submission]:
        if isinstance(place, slice):
            return [self._read(arrival) for arrival in self.arrivals[place]]
        return self._read(self.arrivals[place])

    def __len__(self) -> int:
        return len(self.arrivals)

    def __iter__(self) -> Iterator[Submission]:
        return map(self._read, self.arrivals)

    def contained(self, lessons: Sequence[Lesson]) -> list[Lesson]:
        """Those of the lessons that any submission contains, or may be meant to; all where none contains any.

        A submission is read only as long as its names let expect a lesson that none before it contains.
        """
        unseen = {lesson.name: lesson for lesson in lessons}
        for arrival in self.arrivals:
            if not unseen:
                break
            if arrival.refused is None and may_contain(arrival.path, list(unseen.values())):
                for submitted in self._read(arrival).lessons.values():
                    if not submitted.nothing:
                        unseen.pop(submitted.lesson, None)
        return [lesson for lesson in lessons if lesson.name not in unseen] or list(lessons)

    def _read(self, arrival: Arrival) -> Submission:
        if arrival.refused is not None:
            return Submission(arrival.student, arrival.path, {}, message=arrival.refused, note=arrival.note)
        return replace(read_submission(arrival.path, arrival.student, self._lessons), note=arrival.note)

    def new_folder(self) -> Path:
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="submissions-"))
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        return Path(tempfile.mkdtemp(dir=self.folder))

    def join(self, roster: Roster) -> None:
        """Gives students the roster's names, where that is sure, and says who is absent or disputed."""
        claims = [claim(arrival) for arrival in self.arrivals]
        joined = join(roster, claims)
        by_member: dict[str, list[Arrival]] = {}
        others = []
        for arrival, owner in zip(self.arrivals, joined.owners, strict=True):
            if owner is None:
                others.append(arrival)
            else:
                by_member.setdefault(owner.student, []).append(replace(arrival, student=owner.student))
        before = {arrival.path: arrival.student for arrival in unique(self.arrivals)[0]}
        own = [counted(same) for same in by_member.values()]
        unsure, renamed = unique(others, [member.student for member in roster.members])
        self.arrivals = sorted([*own, *unsure], key=lambda arrival: arrival.student.lower())
        for arrival in self.arrivals:
            names = (before.get(arrival.path, ""), f"{before.get(arrival.path, '')} (not confirmed)")
            self.other_names[arrival.student] = tuple(name for name in names if name != arrival.student)
        self.remarks = (*joined.remarks, *renamed)
        members = {owner.student: owner for owner in joined.owners if owner is not None}
        disputed = tuple(
            (member, f"Several submissions match this student, and none of them counts yet: {', '.join(names)}.")
            for member, names in joined.disputed
        )
        self.attendance = Attendance(members, joined.absent, roster.columns, disputed, self.remarks)


def may_contain(path: Path, lessons: Sequence[Lesson]) -> bool:
    """By the names in it: whether one of the lessons may be there. False is certain."""
    try:
        if path.is_dir():
            found = chain.from_iterable((*names, *files) for _, names, files in os.walk(path))
            names = list(islice(found, MOST_NAMES))
        else:
            names = names_in(path) if is_archive(path) else [path.name]
    except (OSError, ArchiveRefused):
        return False
    parts = {part.lower() for name in names for part in PurePosixPath(name.replace("\\", "/")).parts}
    numbers = {int(digits) for part in parts for digits in re.findall(r"\d{1,4}", part)}
    words = {word for part in parts for word in re.findall("[a-z]+", part)}
    is_page = any(part.endswith(NOTEBOOK) for part in parts) or kind(path) == ".py"
    return len(names) == MOST_NAMES or any(
        (lesson.number.isdigit() and int(lesson.number) in numbers)
        or not words.isdisjoint(lesson.name.lower().split("_"))
        or (is_page and lesson.notebook is not None)
        for lesson in lessons
    )


def claim(arrival: Arrival) -> Claim:
    """What the roster is joined by: names as they were given, before they were made safe and unlike each other."""
    names = tuple(dict.fromkeys((arrival.student, *arrival.names)))
    return Claim(as_folder(arrival.student), names, arrival.marks, arrival.account, arrival.displayed)


def find(
    paths: Iterable[Path], lessons: Sequence[Lesson], all_lessons: Sequence[Lesson], roster: Roster | None = None
) -> Found:
    """Every submission under `paths`, one a student.

    A path is a submission, or a class: a folder with one entry for each student, or what a platform gives to download,
    unpacked or as the archive that it came in. Raises SubmissionError for a path that does not exist or holds nothing.
    """
    found = Found(lessons)
    arrivals: list[Arrival] = []
    given = list(paths)
    try:
        for path in given:
            arrivals += arrivals_at(path, all_lessons, found.new_folder, len(given) == 1)
    except OSError as error:
        raise SubmissionError(f"{error.filename} cannot be read: {error.strerror}.") from error
    except MetadataError as error:
        raise SubmissionError(str(error)) from error
    if roster is None:
        found.arrivals, found.remarks = unique(arrivals)
    else:
        found.arrivals = sorted(arrivals, key=lambda arrival: arrival.student.lower())
        found.join(roster)
    return found


def arrivals_at(given: Path, all_lessons: Sequence[Lesson], new_folder: NewFolder, alone: bool = True) -> list[Arrival]:
    """What `given` stands for. Raises SubmissionError, MetadataError, OSError.

    An archive may be a class only if it is given `alone`: of several, each is one student's, who would else choose by
    the names inside under whose name it is graded.
    """
    if not given.exists():
        raise SubmissionError(
            f"{given} does not exist: give a submission, or a folder that holds one for each student."
        )
    path = given.resolve()  # whoever runs this may name a link; a submission that is one is refused
    if path.is_dir() and not is_one(path, all_lessons):
        arrivals = in_class(path, new_folder)
        if not arrivals:
            raise SubmissionError(
                f"{given} holds no submissions: expected a folder for each student, with NN_name/{MAIN} inside."
            )
        return arrivals
    if alone and path.is_file() and is_archive(path):
        arrivals = in_class_archive(given, path, all_lessons, new_folder)
        if arrivals:
            return arrivals
    name = path.name if given.name in ("", ".", "..") else given.name
    student = name if path.is_dir() else stem(Path(name))
    return [Arrival(student, path, str(path), given=True)]


def is_one(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether a folder is one submission: it holds a lesson, or is a student's kit, which does in exercises/."""
    kit = folder / KIT
    return holds_a_lesson(folder, lessons) or (kit.is_dir() and holds_a_lesson(kit, lessons))


def in_class(folder: Path, new_folder: NewFolder) -> list[Arrival]:
    """The submissions of a class: in a platform's way if all fits, else one an entry. Raises OSError, MetadataError.

    Only what lies right inside counts: below that, the names are the students' own.
    """
    return (
        from_gradescope(folder)
        or from_canvas(folder, new_folder)
        or from_moodle(folder, new_folder)
        or from_classroom(folder)
        or plain(folder)
    )


def in_class_archive(given: Path, path: Path, lessons: Sequence[Lesson], new_folder: NewFolder) -> list[Arrival]:
    """The submissions in the archive of a whole class; none if it is not one. Raises SubmissionError, OSError."""
    try:
        names = names_in(path)
    except ArchiveRefused:
        return []  # as one submission, it is refused with the same sentence
    if not is_class(names, lessons):
        return []
    folder = new_folder()
    try:
        refused = unpack_class(path, folder)
    except ArchiveRefused as error:
        raise SubmissionError(f"{given} cannot be used as a class's archive: {error}") from error
    while len(folders(folder)) == 1 and not gradable(folder) and not (folder / METADATA).exists():
        (folder,) = folders(folder)
    arrivals = in_class(folder, new_folder)
    return [replace(arrival, refused=why(arrival, refused)) for arrival in arrivals]


def why(arrival: Arrival, refused: dict[Path, str]) -> str | None:
    """The sentence about an entry of theirs that was not unpacked, if there is one."""
    places = arrival.sources or (arrival.path,)
    return next((refused[at] for at in refused if any(at == p or p in at.parents for p in places)), None)


def is_class(names: Sequence[str], lessons: Sequence[Lesson]) -> bool:
    """By the names of an archive's entries: a platform's download, or folders and archives of several students."""
    parts = [PurePosixPath(name).parts for name in names]
    while parts and all(len(each) > 1 for each in parts) and len({each[0] for each in parts}) == 1:
        if MOODLE.fullmatch(parts[0][0]):
            return True
        parts = [each[1:] for each in parts]
    top = {each[0] for each in parts} - CLUTTER
    graded = {e[0] for e in parts if len(e) > 1 or is_archive(Path(e[0])) or kind(Path(e[0])) in (".py", ".ipynb")}
    if METADATA in top and all(map(EXPORTED.fullmatch, graded - CLUTTER)):
        return True
    if any(map(MOODLE.fullmatch, top)) and all(map(MOODLE.fullmatch, top)):
        return True
    if all(len(each) == 1 for each in parts) and canvas_files(top):
        return True
    known = {lesson.name.lower() for lesson in lessons}
    if any(name.lower() in known for name in top):
        return False
    students = {each[0] for each in parts if any(part.lower() in known for part in each[1:-1])}
    return len(students | {name for name in top if is_archive(Path(name))}) > 1


def unique(found: Sequence[Arrival], members: Collection[str] = ()) -> tuple[list[Arrival], tuple[str, ...]]:
    """Names made safe as folder names beside index.html, and different from each other on any disk, with remarks.

    `members` are names of the roster: no submission that is not certainly theirs gets one of these.
    """
    result, remarks, taken = [], [], {alike(name) for name in members}
    owned, numbers, first = frozenset(taken), Counter[str](), dict[str, Arrival]()
    # what the command line names comes before names inside: a student's folder must not take another's name
    for arrival in sorted(found, key=lambda entry: (entry.student.lower(), not entry.given)):
        name = student = as_folder(arrival.student)
        if {alike(student), AGAIN.sub("", alike(student))} & owned:
            name = student = as_folder(f"{student} (not confirmed)")
        if is_reserved(f"{student}-2"):  # such as nul.py, a device on Windows whatever follows
            name = student = f"student-{student}"
        while alike(name) in taken or is_reserved(name):
            numbers[alike(student)] += 1
            name = f"{student}-{numbers[alike(student)] + 1}"
        taken.add(alike(name))
        before = first.setdefault(alike(student), arrival)
        if before is not arrival and before.given != arrival.given:
            remarks.append(f"Two submissions are called `{student}`: that in {arrival.path} is graded as `{name}`.")
        if is_reserved(as_folder(arrival.student)):
            remarks.append(f"`{as_folder(arrival.student)}` is a name that this program uses itself: see `{name}`.")
        result.append(replace(arrival, student=name))
    return result, tuple(remarks)
