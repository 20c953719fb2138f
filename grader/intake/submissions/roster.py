"""A class's roster, read from CSV: who should submit. `roster_matching` joins it with the submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.errors import UserError
from grader.intake.submissions.people import as_folder, name_words
from grader.intake.submissions.tables import first_cell, read_table

ROSTER_COLUMNS = {
    "name": ("name", "full name", "student", "student name"),
    "id": ("id", "identifier", "id number", "student id", "sid"),
    "email": ("email", "e-mail", "email address", "mail"),
    "group": ("group", "group name", "group_name", "team", "team name"),
    "submission": ("submission", "github_username", "github", "username", "sis login id"),
}
"""The possible names of each column; the documentation uses the first."""
MARK_COLUMNS = (
    *ROSTER_COLUMNS["id"], *ROSTER_COLUMNS["email"], *ROSTER_COLUMNS["submission"],
    *("user_id", "user id", "sis_user_id", "sis user id", "login", "login id", "login_id", "anonymous_id"),
    *("id-nummer", "e-mail-adresse", "adresse de courriel"),
)  # fmt: skip
"""The columns of rosters and files of times that say who somebody is, whatever their name is now."""
FIRST_NAME_COLUMNS, LAST_NAME_COLUMNS = (
    ("first name", "given name", "first_name"),
    ("last name", "surname", "family name", "last_name"),
)
KNOWN_COLUMNS = {*FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS, *(name for each in ROSTER_COLUMNS.values() for name in each)}
IDENTIFIER = "identifier"
"""Moodle's column with "Participant 207", the only one that says who it is while identities are hidden."""
NO_STUDENT = "points possible"  # the second line of Canvas's own grade book
TEST_STUDENT = ("student", "test")
"""The words, sorted, of the name as which teachers submit to their own course: Canvas writes "Student, Test"."""


@dataclass(frozen=True)
class Member:
    """One student of the roster.

    Attributes:
        student: what the grade book, grades.csv and results call them: the name, made unique and safe as a folder name.
        name, id, email: as the roster has them, "" where it has none.
        submission: the name under which the student submits, if the roster confirms one.
        group: the group with which the student submits.
        line: {the roster's own column: this student's cell}, every column.
    """

    student: str
    name: str
    id: str = ""
    email: str = ""
    submission: str = ""
    group: str = ""
    line: Mapping[str, str] = field(default_factory=dict)

    @property
    def marks(self) -> dict[str, str]:
        """{column: cell} of what says who the student is, whatever their name is: ids, addresses, logins."""
        own = {column.strip().casefold(): cell.strip() for column, cell in self.line.items()}
        return {"id": self.id, "email": self.email} | {name: own[name] for name in MARK_COLUMNS if own.get(name)}

    @property
    def in_words(self) -> str:
        return f"{self.name} (id {self.id})" if self.id else f"{self.name} ({self.email})" if self.email else self.name


@dataclass(frozen=True)
class Roster:
    """A class.

    Attributes:
        members: in the file's order.
        columns: the file's columns, as written.
        possible: the line "Points Possible" of Canvas's own grade book, {column: cell}.
        file: the name of the file.
    """

    members: tuple[Member, ...]
    columns: tuple[str, ...] = ()
    possible: Mapping[str, str] = field(default_factory=dict)
    file: str = ""


@dataclass(frozen=True)
class Attendance:
    """Who of a class submitted.

    Attributes:
        members: {student, as in the results: member}.
        absent: members without a submission.
        columns: the roster's own.
        disputed: (member, sentence) of those whom several submissions match, none of which counts.
        remarks: sentences for the instructor.
    """

    members: Mapping[str, Member]
    absent: tuple[Member, ...]
    columns: tuple[str, ...]
    disputed: tuple[tuple[Member, str], ...] = ()
    remarks: tuple[str, ...] = ()


def read_roster(path: Path) -> Roster:
    """Reads CSV with a header and commas, semicolons or tabs, as spreadsheets write it. Raises UserError."""
    table = read_table(path, "the class's list", KNOWN_COLUMNS)
    columns = {column.casefold() for column in table.columns}
    has_parts = not columns.isdisjoint(FIRST_NAME_COLUMNS) and not columns.isdisjoint(LAST_NAME_COLUMNS)
    has_names = has_parts or not columns.isdisjoint(ROSTER_COLUMNS["name"])
    if not has_names and IDENTIFIER not in columns:
        raise table.without("id, name, email")
    members, possible = list[Member](), dict[str, str]()
    for (_, row), (_, cells) in zip(table.rows, table.lines, strict=True):
        line = dict(zip(table.columns, [*cells, *[""] * len(table.columns)], strict=False))
        fields = {what: first_cell(row, names) for what, names in ROSTER_COLUMNS.items()}
        parts = (first_cell(row, names) for names in (FIRST_NAME_COLUMNS, LAST_NAME_COLUMNS) if has_parts)
        name = fields["name"] or " ".join(filter(None, parts))
        # Classroom 50 knows some by their login alone; without a column of names there is Moodle's identifier
        name = (name if has_names else fields["id"]) or fields["submission"]
        if name.lower() == NO_STUDENT and not fields["id"]:
            possible = possible or {column: cell.strip() for column, cell in line.items()}
        elif name and tuple(sorted(name_words(name))) != TEST_STUDENT:
            last, comma, first = name.partition(",")
            name = f"{first.strip()} {last.strip()}" if comma and first.strip() else name
            members.append(Member(line=line, **{**fields, "name": name, "student": as_folder(name)}))
    if not members:
        raise UserError(f"{path} has a header and no student below it.")
    for what in ("id", "email"):
        twice = [value for value, count in Counter(getattr(m, what).lower() for m in members).items() if count > 1]
        if any(twice):
            raise UserError(f"{path} has the {what} {max(twice)} twice: which line is meant?")
    return Roster(tuple(with_unique_names(members)), table.columns, possible, path.name)


def with_unique_names(members: Sequence[Member]) -> Iterable[Member]:
    """Makes equal names unique by id or e-mail, or by number."""
    count = Counter(member.student.casefold() for member in members)
    taken: set[str] = set()
    for number, member in enumerate(members, 1):
        student = member.student
        if count[student.casefold()] > 1:
            student = as_folder(f"{student} ({member.id or member.email or number})")
        while student.casefold() in taken:
            student += f"-{number}"
        taken.add(student.casefold())
        yield replace(member, student=student)
