"""A class's roster: who should have handed in, read from CSV and joined with who did.

Joined are exact matches only, compared without case, accents and separators: the name in either order, the e-mail
address, the id, or the name that the roster's own column `submission` confirms. What is merely near is told.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.submissions.people import as_folder, near, rotations, words

MOST_BYTES = 16 << 20
MOST_GUESSES = 3
COLUMNS = {
    "name": ("name", "full name", "student", "student name"),
    "id": ("id", "identifier", "id number", "student id", "sid"),
    "email": ("email", "e-mail", "email address", "mail"),
    "submission": ("submission", "github_username", "github", "username", "sis login id"),
}
"""What a column may be called; the first is what the documentation names."""
FIRST, LAST = ("first name", "given name"), ("last name", "surname", "family name")
NO_STUDENT = "points possible"  # the second line of Canvas's own grade book


class RosterError(Exception):
    """A roster that cannot be used; the text is one sentence."""


@dataclass(frozen=True)
class Member:
    """One student of the roster.

    Attributes:
        student: what the grade book, grades.csv and results call them: the name, made unique and safe as a folder name.
        name, id, email: as the roster has them, "" where it has none.
        submission: the name under which they hand in, if the roster confirms one.
        line: {the roster's own column: this student's cell}, every column.
    """

    student: str
    name: str
    id: str = ""
    email: str = ""
    submission: str = ""
    line: Mapping[str, str] = field(default_factory=dict)

    @property
    def in_words(self) -> str:
        return f"{self.name} (id {self.id})" if self.id else f"{self.name} ({self.email})" if self.email else self.name


@dataclass(frozen=True)
class Roster:
    """`members` in the file's order; `columns` are the file's own, as written."""

    members: tuple[Member, ...]
    columns: tuple[str, ...] = ()

    def member(self, student: str) -> Member | None:
        """By the name that results carry, once a run with this roster has written them."""
        return next((member for member in self.members if member.student == student), None)


@dataclass(frozen=True)
class Joined:
    """`members` are {name handed in under: member}, exact matches only; `remarks` are sentences for the instructor."""

    members: Mapping[str, Member]
    absent: tuple[Member, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Attendance:
    """Who of a class handed in: `members` are {student, as in the results: member}, `columns` the roster's own."""

    members: Mapping[str, Member]
    absent: tuple[Member, ...]
    columns: tuple[str, ...]


def read_roster(path: Path) -> Roster:
    """Reads CSV with a header and commas, semicolons or tabs, as spreadsheets write it. Raises RosterError."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise RosterError(f"{path} has more than {MOST_BYTES:,} bytes: give the class's list as CSV.")
        text = decoded(path.read_bytes())
    except OSError as error:
        raise RosterError(f"{path} cannot be read: {error.strerror}. Give the class's list as CSV.") from error
    try:
        lines = cells_of(text)
    except csv.Error as error:
        raise RosterError(f"{path} is no CSV file ({error}): save the class's list as CSV.") from error
    columns = tuple(cell.strip() for cell in lines[0]) if lines else ()
    if "name" not in (known := recognised(columns)):
        found = f"its first line has {', '.join(columns[:8])}" if any(columns) else "it is empty"
        raise RosterError(f"{path} needs a first line that names its columns (id, name, email); {found}.")
    members = [member for cells in lines[1:] if (member := member_of(columns, cells, known)) is not None]
    if not members:
        raise RosterError(f"{path} has a header and no student below it.")
    for what in ("id", "email"):
        twice = [value for value, count in Counter(getattr(m, what).lower() for m in members).items() if count > 1]
        if any(twice):
            raise RosterError(f"{path} has the {what} {max(twice)} twice: which line is meant?")
    return Roster(tuple(named_apart(members)), columns)


def decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def cells_of(text: str) -> list[list[str]]:
    """The lines' cells, by the separator that gives the first line most columns that are known. Raises csv.Error."""
    ways = [list(csv.reader(io.StringIO(text, newline=""), delimiter=mark)) for mark in ",;\t"]
    ways = [[line for line in way if any(cell.strip() for cell in line)] for way in ways]
    return max(ways, key=lambda way: (len(recognised(way[0])), len(way[0])) if way else (0, 0))


def recognised(columns: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """{"name", "id", ...: its column, or the two of a first and a last name}."""
    lower = [column.strip().lower() for column in columns]

    def place(names: Iterable[str]) -> tuple[int, ...]:
        return next(((lower.index(name),) for name in names if name in lower), ())

    found = {what: place(names) for what, names in COLUMNS.items()}
    found["name"] = found["name"] or (place(FIRST) + place(LAST) if place(FIRST) and place(LAST) else ())
    return {what: places for what, places in found.items() if places}


def member_of(columns: Sequence[str], cells: Sequence[str], known: Mapping[str, tuple[int, ...]]) -> Member | None:
    """None for a line that names nobody."""
    cells = [cell.strip() for cell in cells] + [""] * (len(columns) - len(cells))
    fields = {what: " ".join(cells[at] for at in places).strip() for what, places in known.items()}
    if not fields["name"] or (fields["name"].lower() == NO_STUDENT and not fields.get("id")):
        return None
    last, comma, first = fields["name"].partition(",")
    name = f"{first.strip()} {last.strip()}" if comma and first.strip() else fields["name"]
    return Member(line=dict(zip(columns, cells, strict=False)), **{**fields, "name": name, "student": as_folder(name)})


def named_apart(members: Sequence[Member]) -> Iterable[Member]:
    """Students of the same name are told apart by id or e-mail, or by number."""
    count = Counter(member.student.casefold() for member in members)
    taken: set[str] = set()
    for number, member in enumerate(members, 1):
        student = member.student
        if count[student.casefold()] > 1:
            student = as_folder(f"{student} ({member.id or member.email or number})")
        while student.casefold() in taken:
            student += f"-{number}"
        taken.add(student.casefold())
        yield Member(student, member.name, member.id, member.email, member.submission, member.line)


def join(roster: Roster, students: Mapping[str, Collection[str]]) -> Joined:
    """Who of the roster handed in. `students` are {name handed in under: ids and e-mail addresses known besides}."""
    book = Book(roster.members)
    found = {student: book.find(student, marks) for student, marks in students.items()}
    members = {student: member for student, member in found.items() if member is not None}
    here = {member.student for member in members.values()}
    absent = tuple(member for member in roster.members if member.student not in here)
    remarks = tuple(remark(student, absent, roster) for student, member in found.items() if member is None)
    return Joined(members, absent, remarks)


class Book:
    """Members by each way of naming them. A way that several share names none of them."""

    def __init__(self, members: Sequence[Member]) -> None:
        def by(keys: Callable[[Member], Iterable[str]]) -> dict[str, Member | None]:
            found: dict[str, Member | None] = {}
            for member in members:
                for key in set(keys(member)) - {""}:
                    found[key] = None if key in found else member
            return found

        self._confirmed = by(lambda m: [m.submission.casefold()])
        apart = {m.student for m in members if m.student != as_folder(m.name)}  # "Eva Silva (17)", by us
        self._marks = by(
            lambda m: [m.id.casefold(), m.email.casefold(), m.student.casefold() if m.student in apart else ""]
        )
        self._names = by(lambda m: ["".join(words(m.name))])
        self._turned = by(lambda m: rotations(words(m.name)))

    def find(self, student: str, marks: Collection[str]) -> Member | None:
        sure = [student.casefold(), *(mark.casefold() for mark in marks if not mark.isdigit())]
        name = ["".join(words(student))]
        for known, keys in ((self._confirmed, sure), (self._marks, sure), (self._names, name), (self._turned, name)):
            if (member := next((known[key] for key in keys if known.get(key)), None)) is not None:
                return member
        # a platform's number may be its own, and by chance another student's in the roster
        numbered = [self._marks.get(mark) for mark in marks if mark.isdigit()]
        return next((member for member in numbered if member and near(student, member.name)), None)


def remark(student: str, absent: Sequence[Member], roster: Roster) -> str:
    """About a submission that is nobody's for sure: whose it may be, and how to say so."""
    own = [member for member in absent if near(student, member.name) or near(student, member.email.partition("@")[0])]
    shown = f"`{student}`"
    if not own:
        return f"{shown} is not in the roster; it is graded under that name."
    guesses = " or ".join(member.in_words for member in own[:MOST_GUESSES]) + (" ..." if own[MOST_GUESSES:] else "")
    column = "in the column" if "submission" in recognised(roster.columns) else "to the roster a column"
    which = "its line" if len(own) == 1 else "the right line"
    return f"{shown} may be {guesses}: add {column} `submission`, with that name in {which}, to confirm."
