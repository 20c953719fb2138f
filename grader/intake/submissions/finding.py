"""Finds the submissions under the paths of a command line; each is read only when it is needed.

A path is one submission, or a class: a folder with one entry per student, or a platform's download, unpacked or as an
archive.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.intake.submissions.archives import read_archives
from grader.intake.submissions.arrival import Arrival, SubmissionError, make_names_unique, newest_of
from grader.intake.submissions.file_kinds import (
    IncompleteDownload,
    Unreadable,
    is_archive,
    is_clutter,
    is_folder,
    is_gradable,
    may_be_submitted,
    stem_of,
)
from grader.intake.submissions.fitting import is_only_lesson, naming
from grader.intake.submissions.intake_csv import IntakeLine
from grader.intake.submissions.people import fold_case, is_reserved
from grader.intake.submissions.platforms import DOWNLOADS, METADATA, MOODLE_NAME
from grader.intake.submissions.roster import Attendance, Roster
from grader.intake.submissions.roster_matching import join, matches_a_member
from grader.intake.submissions.submission import Submission, read_submission
from grader.intake.submissions.submission_times import SubmissionTime, times_by_student
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.wording import listed_as_code

LESSON_NAME = re.compile(r"\d\d(_[a-z]|$)")
KIT = "exercises"
RESULTS_MARKERS = ("gradebook.sqlite", ".grade-run.lock")
"""What makes a folder one that `grade run -o` wrote, such as `grades` next to the submissions that were graded."""
CLASS_SUFFIXES = (".csv", ".toml", ".yml", ".yaml")
CLASS_STEMS = ("readme", "license", "requirements", "makefile", "dockerfile")
"""Tables, settings and texts about a class's folder, which are the instructor's."""
MAX_NAMES_SHOWN = 5


@dataclass(eq=False)
class FoundSubmissions(Sequence[Submission]):
    """Submissions in order of name; each is read from disk when it is needed, so that memory holds few.

    Attributes:
        lessons: those that submissions are searched for.
        course: all lessons of the course; empty where these are the same.
        attendance: who submitted, where there is a roster.
        remarks: sentences for the instructor.
        other_names: {student: the names under which a run without this roster, or with a shorter one, graded the same
            submission}.
        decided: {student: {lesson: file}} as the instructor decided in intake.csv.
        questions: {student: what a person should decide}, of the submissions that were read.
        folder: what was unpacked or copied, if anything was; it is deleted with this object.
    """

    lessons: Sequence[Lesson]
    course: Sequence[Lesson] = ()
    arrivals: list[Arrival] = field(default_factory=list)
    attendance: Attendance | None = None
    remarks: tuple[str, ...] = ()
    other_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    decided: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    questions: dict[str, tuple[IntakeLine, ...]] = field(default_factory=dict)
    folder: Path | None = None

    def __getitem__(self, place: Any) -> Any:
        return self.read_arrival(self.arrivals[place])

    def __len__(self) -> int:
        return len(self.arrivals)

    def __iter__(self) -> Iterator[Submission]:
        return map(self.read_arrival, self.arrivals)

    def contained(self, lessons: Sequence[Lesson]) -> list[Lesson]:
        """The lessons that some submission contains or attempts; all lessons where none contains any."""
        unseen = {lesson.name for lesson in lessons}
        for submission in self:
            unseen -= {each.lesson for each in submission.lessons.values() if not each.nothing}
            if not unseen:
                break
        return [lesson for lesson in lessons if lesson.name not in unseen] or list(lessons)

    def read(self, student: str) -> Submission:
        """One student's submission. Raises KeyError if there is none."""
        return self.read_arrival({arrival.student: arrival for arrival in self.arrivals}[student])

    def read_arrival(self, arrival: Arrival) -> Submission:
        arrival, decided = arrival.noting_the_future(datetime.now(UTC)), self.decided.get(arrival.student, {})
        read = read_submission(arrival, self.lessons, self.course, decided, self._known_as(arrival))
        self.questions[arrival.student] = read.questions
        return read

    def _known_as(self, arrival: Arrival) -> list[str]:
        """What else the roster calls a student, and those who submit as one group with the student, or the platform."""
        members = {} if self.attendance is None else self.attendance.members
        own, found = members.get(arrival.student), [*arrival.marks]
        for each in members.values():
            if own and (each is own or (own.group and fold_case(each.group) == fold_case(own.group))):
                found += [each.student, each.name, each.id, each.email, each.submission]
        return found

    def set_times(self, times: Sequence[SubmissionTime], replaces: bool = True) -> list[str]:
        """Give students the times of a file; returns a sentence for each that is about nobody here.

        Unless a time `replaces` it, the platform's own stays.
        """
        found, sentences = times_by_student(times, self.arrivals, self.attendance)
        sentences += [
            f"{found[student][-1].place}: {student} submitted at that time, and the download has nothing from them."
            for student in sorted(found.keys() - {arrival.student for arrival in self.arrivals})
        ]
        for number, arrival in enumerate(self.arrivals):
            if arrival.student in found and (replaces or not arrival.submitted):
                latest = found[arrival.student][-1]
                when, platform = latest.when.astimezone(UTC), latest.platform or arrival.platform
                self.arrivals[number] = replace(arrival, submitted=when, time_source=latest.place, platform=platform)
        return sentences

    def new_folder(self) -> Path:
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="submissions-"))
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        return Path(tempfile.mkdtemp(dir=self.folder)).resolve()

    def name_by_roster(self, roster: Roster) -> None:
        """Gives students the roster's names where the match is certain, and records who is absent or disputed."""
        names_before = {arrival.path: arrival.student for arrival in make_names_unique(self.arrivals)[0]}
        joined = join(roster, sorted(self.arrivals, key=lambda arrival: arrival.student.lower()))
        own = [replace(newest_of(arrivals), student=student) for student, arrivals in joined.owned.items()]
        unsure, renamed = make_names_unique(joined.others, [member.student for member in roster.members])
        self.arrivals = sorted([*own, *unsure], key=lambda arrival: arrival.student.lower())
        for arrival in self.arrivals:
            before = names_before.get(arrival.path, "")
            names = (before, f"{before} (not confirmed)")
            self.other_names[arrival.student] = tuple(name for name in names if name != arrival.student)
        remarks = (*joined.attendance.remarks, *renamed)
        self.attendance = replace(joined.attendance, remarks=remarks)
        self.remarks += remarks

    # What a path is ---------------------------------------------------------------------------------------------------

    def arrivals_at(self, given: Path, is_only: bool, roster: Roster | None) -> list[Arrival]:
        """The submissions at `given`. Raises SubmissionError, OSError.

        An archive may be a class only if it is the only path given. Of several archives each is one student's, who
        could otherwise choose, by the names inside, under whose name it is graded. For the same reason, a folder or an
        archive that has a member's name is that member's alone.
        """
        if not given.exists():
            raise SubmissionError(
                f"{given} does not exist: give a submission, or a folder that holds one for each student."
            )
        path = given.resolve()  # the command line may name a link; a submission that is a link is refused
        if holds_results(path):
            raise SubmissionError(
                f"{given} contains the results of an earlier run, not submissions: name the folder or the archive with "
                "the submissions, and the results' folder after -o."
            )
        name = path.name if given.name in ("", ".", "..") else given.name
        student = name if path.is_dir() else stem_of(Path(name))
        arrivals = list[Arrival]()
        if roster is not None and matches_a_member(roster, student):
            pass
        elif path.is_dir() and not is_one_submission(path, self.course):
            arrivals = self._in_class(path)
            if not arrivals:
                expected = f"expected a folder for each student, with NN_name/{BACKWARD_FILE} inside"
                raise SubmissionError(f"{given} holds no submissions: {expected}.")
        elif is_only and path.is_file() and is_archive(path):
            arrivals = self._in_archive(given, path, roster)
        return arrivals or [Arrival(student, path, given=True)]

    def _in_class(self, folder: Path) -> list[Arrival]:
        """The submissions of a class: by a platform's naming if every name fits it, else one per entry.

        Only names directly inside count: below that, students choose the names. A file of another kind is somebody's,
        and has a row that says why it has 0; next to a submission of the same name it is a note in that one.
        """
        entries = visible(folder)
        found = next(filter(None, (read(folder, entries, self.new_folder) for read in DOWNLOADS)), None)
        found = found or one_per_entry(entries)
        known = {path for arrival in found for path in (arrival.path, *arrival.sources)}
        at = {arrival.student: number for number, arrival in enumerate(found)}
        for path in entries if found else ():
            is_the_class_s = path.suffix.lower() in CLASS_SUFFIXES or path.stem.lower() in CLASS_STEMS
            if path in known or may_be_submitted(path) or is_the_class_s or is_reserved(path.name):
                continue
            arrival = Arrival.of_entry(path)
            if (number := at.setdefault(arrival.student, len(found))) < len(found):
                found[number] = found[number].with_remark("unread", f"`{path.name}` next to it is not read.")
            else:
                found.append(arrival)
        return found

    def _in_archive(self, given: Path, path: Path, roster: Roster | None) -> list[Arrival]:
        """The submissions in a class's archive; none if it is one student's, or cannot be unpacked. Raises OSError.

        It is a class's if a platform wrote its names, or if it holds lessons or archives of several students.
        """
        folder = self.new_folder()
        try:
            unpacked = read_archives({"": path}, folder, of_class=True)
        except (Unreadable, IncompleteDownload):
            return []  # as one submission, it is refused with the same sentence
        while len(inside := [each for each in visible(folder) if is_folder(each)]) == 1:
            is_class_here = any(is_gradable(each) or each.name == METADATA for each in visible(folder))
            if is_class_here or MOODLE_NAME.fullmatch(inside[0].name):
                break
            (folder,) = inside
        if unpacked.refused or is_one_submission(folder, self.course):
            return []
        if unpacked.strange_name:
            strange = f"Some names in {given.name} are not in UTF-8, such as `{unpacked.strange_name[:80]}`"
            self.remarks += (f"{strange}: if they are wrong, unpack it and give the folder.",)
        arrivals = self._in_class(folder)
        if any(each.account for each in arrivals):
            return arrivals
        below = {each: [path.name for path in each.rglob("*") if path.is_dir()] for each in visible(folder)}
        students = [
            each
            for each, names in below.items()
            if is_archive(each) or any(is_only_lesson(name, self.course) for name in names)
        ]
        if len(students) < 2:
            return []
        if roster is None:  # and no platform made it: one student may have mailed it
            shown = listed_as_code([each.student for each in make_names_unique(arrivals)[0]], MAX_NAMES_SHOWN)
            self.remarks += (
                f"{given.name} is read as a class: {shown}. If one student sent it, put it into a folder of its own "
                "and give that folder, such as `grade run late`.",
            )
        return arrivals


def find(
    paths: Iterable[Path],
    lessons: Sequence[Lesson],
    course: Sequence[Lesson],
    roster: Roster | None = None,
) -> FoundSubmissions:
    """Every submission under `paths`, one per student.

    A path that has the name of a member of the roster is this member's submission, whatever is inside. See
    FoundSubmissions for `lessons` and `course`. Raises SubmissionError for a path that does not exist or
    contains no submission.
    """
    found, given = FoundSubmissions(lessons, course), list(paths)
    try:
        found.arrivals = [each for path in given for each in found.arrivals_at(path, len(given) == 1, roster)]
    except OSError as error:
        raise SubmissionError(f"{error.filename} cannot be read: {error.strerror}.") from error
    if roster is not None:
        found.name_by_roster(roster)
    else:
        found.arrivals, remarks = make_names_unique(found.arrivals)
        found.remarks += remarks
    return found


def visible(folder: Path) -> list[Path]:
    """What is inside, without hidden entries, clutter and the results of an earlier run."""
    paths = [folder / name for name in sorted(os.listdir(folder)) if not is_clutter(name)]
    return [path for path in paths if not holds_results(path)]


def holds_results(folder: Path) -> bool:
    """Whether `grade run` wrote the folder, and nothing below it may be submitted.

    A folder that may not be read counts as a submission: the message comes when the submission is read.
    """
    with suppress(OSError):
        return all((folder / name).is_file() for name in RESULTS_MARKERS)
    return False


def one_per_entry(entries: Sequence[Path]) -> list[Arrival]:
    """One submission per entry of a folder: a folder, an archive or a file with the student's name."""
    found = [Arrival.of_entry(path) for path in entries if may_be_submitted(path)]
    count = Counter(each.student for each in found)
    # ada/ and ada.zip may be two students', and nothing says which counts
    return [each if count[each.student] == 1 else replace(each, student=each.path.name) for each in found]


def is_one_submission(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether a folder is one submission: it or its exercises/ holds a lesson, or all names in it say only lessons."""
    if holds_a_lesson(folder, lessons) or holds_a_lesson(folder / KIT, lessons):
        return True
    entries = [path for path in visible(folder) if may_be_submitted(path) and not path.is_symlink()]
    if any(path.name.isdigit() and holds_lessons(path) for path in entries):
        return False
    names = [path.name if path.is_dir() else stem_of(path) for path in entries if path.is_dir() or not is_archive(path)]
    return 0 < len(names) == len(entries) and all(is_only_lesson(name, lessons) for name in names)


def holds_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether a lesson's folder or a backward.py is directly inside.

    A folder called by a number alone may be a student's, called by an id: then lessons' folders are in it.
    """
    with suppress(OSError):
        named = [path for path in visible(folder) if any(naming(path.name, each) for each in lessons)]
        is_lessons = any(is_folder(path) and not (path.name.isdigit() and holds_lessons(path)) for path in named)
        return is_lessons or (folder / BACKWARD_FILE).is_file()
    return False


def holds_lessons(folder: Path) -> bool:
    """Whether folders inside are called NN_name or NN, as the lessons of any course are."""
    with suppress(OSError):  # a student's folder that may not be read: the message comes when it is graded
        return any(LESSON_NAME.match(path.name.lower()) and is_folder(path) for path in visible(folder))
    return False
