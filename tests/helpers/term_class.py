"""A synthetic class of a term: what each student submits and when, laid out as two platforms' downloads and rosters.

Canvas's download does not say when something was submitted: `times` does, as Canvas exports it. Gradescope's does.

Nothing here is imported from grader/: `tests/e2e/test_term_of_a_course.py` computes points from these tables.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

FIRST = ("Ada", "Bo", "Chen", "Dana", "Eva", "Femi", "Gita", "Hugo", "Ines", "Jun", "Kofi", "Lena")
LESSONS = ("04_cross_entropy", "02_small_net")
"""Of homework 1, and of homework 2."""
PLATFORMS = ("canvas", "gradescope")


@dataclass(frozen=True)
class Work:
    """What a student does for one assignment.

    Attributes:
        file: which of the synthetic files; "" where the student submits nothing.
        hours: from the due date to the submission.
        extended: days by which the student's due date is moved.
        again: a second submission (file, hours), which replaces the first one in a later download.
    """

    file: str
    hours: float = -1
    extended: int = 0
    excused: bool = False
    again: tuple[str, float] | None = None

    @property
    def attempts(self) -> list[tuple[str, float]]:
        first = [(self.file, self.hours)] if self.file else []
        return [*first, self.again] if self.again else first


NOTHING = Work("")
GROUP = (4, 5)
"""The places of two students who submit together."""
HOMEWORK_1 = (
    Work("right", -20),
    Work("right", 30),
    Work("steps", 0.2),  # in the grace period
    Work("right", 70, extended=2),
    Work("steps", 5),  # for a group
    NOTHING,  # the group's second member
    Work("wrong", -3),
    Work("right", -50, excused=True),
    Work("stub", -5),
    NOTHING,
    Work("right", 130),
    Work("steps", 27),
)
HOMEWORK_2 = (
    Work("right", 3),
    Work("half", -2, again=("right", 20)),
    Work("right", 60),
    Work("half", 1),
    Work("right", 26),  # for a group
    NOTHING,  # the group's second member
    Work("right", -7, excused=True),
    Work("half", 49, extended=1),
    Work("right", -1, again=("half", 2)),
    Work("right", 240, extended=3),  # after the hard deadline, and after the extended one
    NOTHING,
    Work("right", 0),
)


@dataclass(frozen=True)
class Student:
    """A member of the class. `group` is empty for most: they submit alone."""

    number: int
    name: str
    group: str
    homework: Sequence[Work]

    @property
    def email(self) -> str:
        return f"{self.login}@school.example"

    @property
    def login(self) -> str:
        return self.name.lower().replace(" ", "-")

    @property
    def squeezed(self) -> str:
        """The name as Canvas writes it in file names."""
        first, last = self.name.lower().split()
        return last + first


EVERYBODY = [
    Student(place, f"{first} Okafor", "Group 1" if place in GROUP else "", work)
    for place, (first, *work) in enumerate(zip(FIRST, HOMEWORK_1, HOMEWORK_2, strict=True))
]


def partner_of(student: Student, everybody: Sequence[Student]) -> Student | None:
    return next((each for each in everybody if each.group and each.group == student.group and each != student), None)


# Downloads ------------------------------------------------------------------------------------------------------------


def submissions(
    everybody: Sequence[Student], homework: int, latest: bool
) -> Iterator[tuple[Student, str, float, bool]]:
    """(student, file, hours after the due date, whether it is a second submission): what a download has."""
    for student in everybody:
        work = student.homework[homework]
        found = work.attempts if latest else work.attempts[:1]
        if found:
            yield student, *found[-1], len(found) > 1


def download(
    platform: str, everybody: Sequence[Student], homework: int, due: datetime, files: Mapping[str, str], latest: bool
) -> dict[str, str]:
    """{place: text} of a platform's download; with `latest` after second submissions have come."""
    found: dict[str, str] = {}
    metadata = ["---"]
    for student, file, hours, is_second in submissions(everybody, homework, latest):
        when, text, n = due.astimezone(UTC) + timedelta(hours=hours), files[file], student.number
        if platform == "canvas":
            mark, number = "LATE_" if hours > 0 else "", "-1" if is_second else ""
            attachment = 700_000 + 1000 * homework + 2 * n + is_second
            found[f"{student.squeezed}_{mark}{20_000 + n}_{attachment}_backward{number}.py"] = text
        else:
            place = f"submission_{4000 + 1000 * homework + n + 500 * is_second}"
            found[f"{place}/backward.py"] = text
            metadata += [
                f"{place}:",
                "  :submitters:",
                f"  - :name: {student.name}",
                f"    :sid: '{9000 + n}'",
                f"    :email: {student.email}",
                f"  :created_at: {when:%Y-%m-%d %H:%M:%S}.000000000 Z",
            ]
    if platform == "gradescope":
        found["submission_metadata.yml"] = "\n".join([*metadata, ""])
    return found


def times(everybody: Sequence[Student], homework: int, due: datetime, latest: bool) -> str:
    """Canvas's submissions API, after the same submissions as in `download`."""
    when = {
        student.name: due + timedelta(hours=hours) for student, _, hours, _ in submissions(everybody, homework, latest)
    }
    entries = []
    for each in everybody:
        found = when.get(each.name)
        text = None if found is None else f"{found.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        entries.append({"user_id": 20_000 + each.number, "submitted_at": text, "late": False})
    return "while(1);" + json.dumps(entries)


# Rosters --------------------------------------------------------------------------------------------------------------


def column_of(homework: int) -> str:
    """The assignment's column in Canvas's grade book."""
    return f"Homework {homework + 1} ({500 + homework})"


CANVAS_MAXIMUM = 20


def roster(platform: str, everybody: Sequence[Student]) -> str:
    """The class's list as the platform exports it, with a column `group`."""
    if platform == "canvas":
        header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column_of(0), column_of(1), "group"]
        lines = [["    Points Possible", "", "", "", "", str(CANVAS_MAXIMUM), str(CANVAS_MAXIMUM), ""]]
        for each in everybody:
            last_first = ", ".join(reversed(each.name.split()))
            lines.append(
                [last_first, str(20_000 + each.number), f"s{each.number}", each.email, "A", "", "", each.group]
            )
    else:
        header = ["Name", "SID", "Email", "Role", "group"]
        lines = [[each.name, str(9000 + each.number), each.email, "Student", each.group] for each in everybody]
    text = io.StringIO()
    csv.writer(text).writerows([header, *lines])
    return text.getvalue()


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    for place, text in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
