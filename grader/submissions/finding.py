"""Finding submissions: whose there are under the paths that a command line names, each read only when it is needed."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import overload

from grader.lesson import Lesson
from grader.submissions.archive import (
    METADATA,
    ArchiveRefused,
    is_archive,
    names_in,
    stem,
    unpack_class,
)
from grader.submissions.arrival import Arrival, NewFolder, newest
from grader.submissions.downloads import MOODLE, canvas_files, from_canvas, from_classroom, from_moodle, plain
from grader.submissions.gradescope import MetadataError, from_gradescope
from grader.submissions.handed import MAIN
from grader.submissions.people import as_folder
from grader.submissions.places import CLUTTER, folders, gradable, holds_a_lesson
from grader.submissions.roster import Attendance, Member, Roster, join
from grader.submissions.submission import Submission, read_submission

RESERVED = {"index.html", "grades.csv", "gradebook.sqlite", "gradebook.sqlite-wal", "gradebook.sqlite-shm"}
KIT = "exercises"


class SubmissionError(Exception):
    """Nothing to grade was found where the command line says; the text is one sentence."""


class Found(Sequence[Submission]):
    """The submissions in order of name; one is read from disk whenever it is asked for, so that memory holds few.

    `folder` holds what was unpacked or laid out anew, if anything was, and goes away with this object. With a roster,
    `attendance` says who handed in, and `remarks` are sentences for the instructor.
    """

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self.folder: Path | None = None
        self.arrivals: list[Arrival] = []
        self.attendance: Attendance | None = None
        self.remarks: tuple[str, ...] = ()
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
        """Gives students the roster's names, where that is sure, and says who is absent."""
        people: dict[str, tuple[str, ...]] = {}
        for arrival in self.arrivals:
            people[arrival.student] = (*people.get(arrival.student, ()), *arrival.marks)
        joined = join(roster, people)
        arrivals = []
        for arrival in self.arrivals:
            member = joined.members.get(arrival.student)
            arrivals.append(replace(arrival, student=member.student, who=member.student) if member else arrival)
        self.arrivals = newest_of_members(arrivals, {member.student for member in joined.members.values()})
        members = {member.student: member for member in joined.members.values()}
        self.attendance = Attendance(members, joined.absent, roster.columns)
        self.remarks = (*joined.remarks, *several(joined.members))


def several(members: Mapping[str, Member]) -> list[str]:
    """A sentence about each member under whose name there are submissions of different names."""
    names: dict[str, list[str]] = {}
    for student, member in members.items():
        names.setdefault(member.in_words, []).append(f"`{student}`")
    return [
        f"{' and '.join(sorted(own))} are both taken for {member}, by exact matches: the newest counts."
        for member, own in names.items()
        if len(own) > 1
    ]


def newest_of_members(arrivals: Sequence[Arrival], members: set[str]) -> list[Arrival]:
    """Two submissions that are one member's are two of one student; others stay as they are."""
    theirs = [arrival for arrival in arrivals if arrival.student in members]
    return unique([*newest(theirs), *(arrival for arrival in arrivals if arrival.student not in members)])


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
    found.arrivals = unique(arrivals)
    if roster is not None:
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
    return [Arrival(student, path, str(path))]


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
    if METADATA in top or (any(map(MOODLE.fullmatch, top)) and all(map(MOODLE.fullmatch, top))):
        return True
    if all(len(each) == 1 for each in parts) and canvas_files(top):
        return True
    known = {lesson.name.lower() for lesson in lessons}
    if any(name.lower() in known for name in top):
        return False
    students = {each[0] for each in parts if any(part.lower() in known for part in each[1:-1])}
    return len(students | {name for name in top if is_archive(Path(name))}) > 1


def unique(found: Sequence[Arrival]) -> list[Arrival]:
    """Names made safe as folder names beside index.html, and different from each other on any disk."""
    result, taken = [], set(RESERVED)
    for arrival in sorted(found, key=lambda entry: entry.student.lower()):
        student = as_folder(arrival.student)
        name, count = student, 1
        while name.lower() in taken:
            count += 1
            name = f"{student}-{count}"
        taken.add(name.lower())
        result.append(replace(arrival, student=name))
    return result
