"""One student's submission as it was found, before anything in it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from grader.errors import UserError
from grader.intake.submissions.file_kinds import stem_of
from grader.intake.submissions.people import NUMBER_OF_A_NAMESAKE, as_folder, collision_key, is_reserved
from grader.results import IntakeRemark
from grader.results.wording import listed

EARLIEST = datetime.min.replace(tzinfo=UTC)
NewFolder = Callable[[], Path]
"""Makes an empty folder for files that are unpacked or copied."""


class SubmissionError(UserError):
    """There is nothing to grade where the command line says; the text is one sentence."""


@dataclass(frozen=True)
class Arrival:
    """Attributes:
    student: the name that it came under, as people write it.
    path: what is read: a folder, an archive or a file.
    submitted: when it was submitted, with a time zone, if the platform or a file of times says so.
    time_source: the place in a file that says so, "times.csv, line 3"; "" for the platform.
    platform: "late" or "on time", where the platform itself says so; else "".
    marks: ids and e-mail addresses that the platform gives.
    sources: where its files were found, if not at `path`.
    names: the other names that it came under, such as that of its file.
    account: the platform's account that submitted it, "Canvas 101"; "" where no platform gives one.
    displayed: `student` is the display name of an account, which its owner may change.
    given: the command line names `path` itself, not a folder that contains it.
    own: a run of this program wrote `student`, with a roster's names where it had one.
    remarks: what else the results say, and the class page.
    submitted_by: the member of the student's group who submitted it; "" where the student did.
    """

    student: str
    path: Path
    _: KW_ONLY
    submitted: datetime | None = None
    time_source: str = ""
    platform: str = ""
    marks: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    names: tuple[str, ...] = ()
    account: str = ""
    displayed: bool = False
    given: bool = False
    own: bool = False
    remarks: tuple[IntakeRemark, ...] = ()
    submitted_by: str = ""

    @classmethod
    def of_entry(cls, path: Path) -> Arrival:
        """An entry of a class's folder, which has the student's name."""
        name = path.name if path.is_dir() else stem_of(path)
        return cls(name, path, names=(name, path.name))

    @property
    def places(self) -> tuple[Path, ...]:
        """Where its files are in the instructor's folder."""
        return self.sources or (self.path,)

    @property
    def label(self) -> str:
        """Its name in the instructor's folder."""
        return self.places[0].name

    @property
    def all_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.student, *self.names)))

    def noting_the_future(self, now: datetime) -> Arrival:
        """The arrival with a remark if it is dated more than a day after `now`: clocks differ by hours."""
        if self.submitted is None or self.submitted < now + timedelta(days=1):
            return self
        shown, place = self.submitted.astimezone(UTC), self.time_source or "the download"
        note = f"It is dated in the future, {shown:%Y-%m-%d %H:%M} UTC: check the time in {place}."
        return self.with_remark("future", note)

    def with_remark(self, kind: str, message: str) -> Arrival:
        return replace(self, remarks=(*self.remarks, IntakeRemark(kind, message)))


def newest_of(same: Sequence[Arrival]) -> Arrival:
    """The last of one account's submissions by the platform's time, with a note about the others."""
    *older, last = sorted(same, key=lambda arrival: arrival.submitted or EARLIEST)
    if not older:
        return last
    names = listed([arrival.label for arrival in older], 5)
    note = f"Of {len(same)} submissions the newest counts, {last.label}; not graded: {names}."
    return last.with_remark("newest", note)


def make_names_unique(found: Sequence[Arrival], members: Collection[str] = ()) -> tuple[list[Arrival], tuple[str, ...]]:
    """Makes names safe as folder names next to index.html, and unique on any disk; remarks say what was renamed.

    `members` are the roster's names: a submission that is not certainly a member's gets none of these.
    """
    result, remarks, taken = [], [], {collision_key(name) for name in members}
    owned, numbers, first = frozenset(taken), Counter[str](), dict[str, Arrival]()
    # what the command line names comes before names inside: a student's folder must not take another's name
    for arrival in sorted(found, key=lambda entry: (entry.student.lower(), not entry.given)):
        original = student = as_folder(arrival.student)
        if {collision_key(student), NUMBER_OF_A_NAMESAKE.sub("", collision_key(student))} & owned:
            student = as_folder(f"{student} (not confirmed)")
        name, key = student, collision_key(student)
        while collision_key(name) in taken or is_reserved(name):
            numbers[key] += 1
            name = f"{student}-{numbers[key] + 1}"
        taken.add(collision_key(name))
        remarks += [each.message for each in arrival.remarks if each.kind == "stranger"]
        before = first.setdefault(key, arrival)
        if before is not arrival and before.given != arrival.given:
            remarks.append(f"Two submissions are called `{student}`: that in {arrival.path} is graded as `{name}`.")
        if is_reserved(original):
            remarks.append(f"`{original}` is a name that this program uses itself: see `{name}`.")
        result.append(replace(arrival, student=name))
    return result, tuple(remarks)
