"""Finds the submissions under the paths of a command line; each is read only when it is needed."""

from __future__ import annotations

import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.intake.submissions.arrival import Arrival, SubmissionError, make_names_unique, newest_of
from grader.intake.submissions.class_folder import ClassReader
from grader.intake.submissions.file_kinds import is_archive
from grader.intake.submissions.intake_csv import IntakeLine
from grader.intake.submissions.people import fold_case
from grader.intake.submissions.roster import Attendance, Roster
from grader.intake.submissions.roster_matching import join
from grader.intake.submissions.submission import Submission, read_submission
from grader.intake.submissions.submission_times import SubmissionTime, times_by_student
from grader.lesson.lesson import Lesson

MAX_NAMES_SHOWN = 5


class FoundSubmissions(Sequence[Submission]):
    """Submissions in order of name; each is read from disk when it is needed, so that memory holds few.

    Attributes:
        folder: what was unpacked or copied, if anything was; it is deleted with this object.
        attendance: who submitted, where there is a roster.
        remarks: sentences for the instructor.
        other_names: {student: the names under which a run without this roster, or with a shorter one, graded the same
            submission}.
        decided: {student: {lesson: file}} as the instructor decided in intake.csv.
        questions: {student: what a person should decide}, of the submissions that were read.
    """

    def __init__(self, lessons: Sequence[Lesson], course: Sequence[Lesson] = (), within: Path | None = None) -> None:
        self.folder: Path | None = None
        self.arrivals: list[Arrival] = []
        self.attendance: Attendance | None = None
        self.remarks: tuple[str, ...] = ()
        self.other_names: dict[str, tuple[str, ...]] = {}
        self.decided: Mapping[str, Mapping[str, str]] = {}
        self.questions: dict[str, tuple[IntakeLine, ...]] = {}
        self._lessons, self._course, self._within = tuple(lessons), tuple(course or lessons), within

    def __getitem__(self, place: Any) -> Any:
        return self.read_arrival(self.arrivals[place])

    def __len__(self) -> int:
        return len(self.arrivals)

    def __iter__(self) -> Iterator[Submission]:
        return map(self.read_arrival, self.arrivals)

    @property
    def lesson_names(self) -> tuple[str, ...]:
        """The lessons that submissions are searched for."""
        return tuple(lesson.name for lesson in self._lessons)

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
        arrival = arrival.noting_the_future(time.time())
        decided, known_as = self.decided.get(arrival.student, {}), self._known_as(arrival)
        read = read_submission(arrival.path, arrival.student, self._lessons, self._course, decided, known_as)
        self.questions[arrival.student] = read.questions
        return replace(
            read,
            submitted=arrival.submitted,
            time_source=arrival.time_source,
            platform=arrival.platform,
            remarks=(*arrival.remarks, *read.remarks),
            account=arrival.account,
            entries=tuple(place.name for place in arrival.places),
            submitted_by=arrival.submitted_by,
        )

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
            if arrival.student in found and (replaces or not arrival.when):
                latest = found[arrival.student][-1]
                when, platform = latest.when.timestamp(), latest.platform or arrival.platform
                self.arrivals[number] = replace(arrival, when=when, time_source=latest.place, platform=platform)
        return sentences

    def new_folder(self) -> Path:
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="submissions-", dir=self._within))
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        return Path(tempfile.mkdtemp(dir=self.folder)).resolve()

    def join(self, roster: Roster) -> None:
        """Gives students the roster's names where the match is certain, and records who is absent or disputed."""
        names_before = {arrival.path: arrival.student for arrival in make_names_unique(self.arrivals)[0]}
        joined = join(roster, self.arrivals)
        own = [replace(newest_of(arrivals), student=student) for student, arrivals in joined.owned.items()]
        unsure, renamed = make_names_unique(joined.others, [member.student for member in roster.members])
        self.arrivals = sorted([*own, *unsure], key=lambda arrival: arrival.student.lower())
        for arrival in self.arrivals:
            before = names_before.get(arrival.path, "")
            names = (before, f"{before} (not confirmed)")
            self.other_names[arrival.student] = tuple(name for name in names if name != arrival.student)
        self.remarks = (*joined.remarks, *renamed)
        members = {each.student: each for each in roster.members if each.student in joined.owned}
        self.attendance = Attendance(members, joined.absent, roster.columns, joined.disputed, self.remarks)


def find(
    paths: Iterable[Path],
    lessons: Sequence[Lesson],
    all_lessons: Sequence[Lesson],
    roster: Roster | None = None,
    within: Path | None = None,
) -> FoundSubmissions:
    """Every submission under `paths`, one per student.

    A path is a submission, or a class: a folder with one entry per student, or a platform's download, unpacked or as
    an archive. One that has the name of a member of the roster is this member's submission, whatever is inside. What
    has to be unpacked is unpacked `within` that folder. Raises SubmissionError for a path that does not exist
    or contains no submission.
    """
    found, given = FoundSubmissions(lessons, all_lessons, within), list(paths)
    reader = ClassReader(all_lessons, found.new_folder, roster)
    try:
        arrivals = [arrival for path in given for arrival in reader.arrivals_at(path, len(given) == 1)]
    except OSError as error:
        raise SubmissionError(f"{error.filename} cannot be read: {error.strerror}.") from error
    if roster is not None:
        found.arrivals = sorted(arrivals, key=lambda arrival: arrival.student.lower())
        found.join(roster)
        found.remarks = (*reader.remarks, *found.remarks)
        return found
    found.arrivals, found.remarks = make_names_unique(arrivals)
    found.remarks = (*reader.remarks, *found.remarks)
    if len(arrivals) > 1 and is_archive(given[0]) and len(given) == 1 and not any(each.account for each in arrivals):
        shown = ", ".join(f"`{each.student}`" for each in found.arrivals[:MAX_NAMES_SHOWN])
        shown += ", ..." if arrivals[MAX_NAMES_SHOWN:] else ""
        remark = (  # no platform made it: one student may have mailed it
            f"{given[0].name} is read as a class: {shown}. If one student sent it, put it into a folder of its own "
            "and give that folder, such as `grade run late`."
        )
        found.remarks = (remark, *found.remarks)
    return found
