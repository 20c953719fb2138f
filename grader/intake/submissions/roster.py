"""A class's roster, read from CSV: who should submit, and which members submit as a group.

`roster_matching` joins it with the submissions. A submission by one member of a group counts for all members who have
none of their own.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.errors import UserError
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.gathered import files_below
from grader.intake.submissions.lesson_files import Unreadable, read_file
from grader.intake.submissions.people import as_folder, fold_case, name_words
from grader.intake.submissions.tables import found_columns, read_table
from grader.results.wording import listed

COLUMNS = {
    "name": ("name", "full name", "student", "student name"),
    "id": ("id", "identifier", "id number", "student id", "sid"),
    "email": ("email", "e-mail", "email address", "mail"),
    "group": ("group", "group name", "group_name", "team", "team name"),
    "submission": ("submission", "github_username", "github", "username", "sis login id"),
}
"""The possible names of each column; the documentation uses the first."""
FIRST, LAST = ("first name", "given name", "first_name"), ("last name", "surname", "family name", "last_name")
NO_STUDENT = "points possible"  # the second line of Canvas's own grade book


class RosterError(UserError):
    """A roster that cannot be used; the text is one sentence."""


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
    def in_words(self) -> str:
        return f"{self.name} (id {self.id})" if self.id else f"{self.name} ({self.email})" if self.email else self.name


@dataclass(frozen=True)
class Roster:
    """A class.

    Attributes:
        members: in the file's order.
        columns: the file's columns, as written.
        possible: the line "Points Possible" of Canvas's own grade book, {column: cell}.
    """

    members: tuple[Member, ...]
    columns: tuple[str, ...] = ()
    possible: Mapping[str, str] = field(default_factory=dict)

    def member(self, student: str) -> Member | None:
        """The member whose results have this name, in a run with this roster."""
        return next((member for member in self.members if member.student == student), None)


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
    """Reads CSV with a header and commas, semicolons or tabs, as spreadsheets write it. Raises RosterError."""
    columns, numbered = read_table(path, "the class's list", lambda header: len(column_roles(header)), RosterError)
    if "name" not in (known := column_roles(columns)):
        raise RosterError(
            f"{path} needs a first line that names its columns (id, name, email); {found_columns(columns)}."
        )
    lines = [cells for _, cells in numbered]
    members = [member for cells in lines if (member := member_of(columns, cells, known)) is not None]
    if not members:
        raise RosterError(f"{path} has a header and no student below it.")
    for what in ("id", "email"):
        twice = [value for value, count in Counter(getattr(m, what).lower() for m in members).items() if count > 1]
        if any(twice):
            raise RosterError(f"{path} has the {what} {max(twice)} twice: which line is meant?")
    return Roster(tuple(with_unique_names(members)), columns, points_possible(columns, lines, known))


def points_possible(
    columns: Sequence[str], lines: Sequence[Sequence[str]], known: Mapping[str, tuple[int, ...]]
) -> Mapping[str, str]:
    """{column: cell} of the line in which Canvas's grade book gives the points of each column."""
    for cells in lines:
        named = " ".join(cells[at].strip() for at in known["name"] if at < len(cells))
        if named.strip().lower() == NO_STUDENT:
            return {column: cell.strip() for column, cell in zip(columns, cells, strict=False)}
    return {}


def column_roles(columns: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """{"name", "id", ...: its column, or the two of a first and a last name}."""
    lower = [column.strip().lower() for column in columns]

    def place(names: Iterable[str]) -> tuple[int, ...]:
        return next(((lower.index(name),) for name in names if name in lower), ())

    found = {what: place(names) for what, names in COLUMNS.items()}
    found["name"] = found["name"] or (place(FIRST) + place(LAST) if place(FIRST) and place(LAST) else ())
    return {what: places for what, places in found.items() if places}


def member_of(columns: Sequence[str], cells: Sequence[str], known: Mapping[str, tuple[int, ...]]) -> Member | None:
    """The student of a line; None for a line without a name."""
    cells = [cell.strip() for cell in cells] + [""] * (len(columns) - len(cells))
    fields = {what: " ".join(cells[at] for at in places).strip() for what, places in known.items()}
    fields["name"] = fields["name"] or fields.get("submission", "")  # Classroom 50 knows some by their login alone
    if not fields["name"] or (fields["name"].lower() == NO_STUDENT and not fields.get("id")):
        return None
    last, comma, first = fields["name"].partition(",")
    name = f"{first.strip()} {last.strip()}" if comma and first.strip() else fields["name"]
    return Member(line=dict(zip(columns, cells, strict=False)), **{**fields, "name": name, "student": as_folder(name)})


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


MOST_ARCHIVE = 64 << 20


@dataclass
class SharedSubmissions:
    """What the groups change: further (owner, arrival) pairs, disputes, remarks, and group submissions that count.

    `used` are the places in the list of arrivals of those that came under a group's name.
    """

    further: list[tuple[Member, Arrival]] = field(default_factory=list)
    disputed: list[tuple[Member, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)


def members_by_group(roster: Roster) -> dict[str, list[Member]]:
    """{group, as the roster writes it: its members}; a group of one is left out."""
    found: dict[str, list[Member]] = {}
    written: dict[str, str] = {}
    for member in roster.members:
        if member.group:
            found.setdefault(written.setdefault(fold_case(member.group), member.group), []).append(member)
    return {group: members for group, members in found.items() if len(members) > 1}


def without_group(name: str, groups: Iterable[str]) -> str:
    """The student's name in "Group 1-Ada Okafor", as Moodle writes it where groups submit."""
    begins = (group for group in groups if fold_case(name).startswith(f"{fold_case(group)}-"))
    return name[len(group) + 1 :] if (group := next(begins, "")) else name


def share(
    roster: Roster, arrivals: Sequence[Arrival], owners: Sequence[Member | None], known: Iterable[str]
) -> SharedSubmissions:
    """Finds a submission for each member of a group without one. `known` are students who are disputed already."""
    shared, settled = SharedSubmissions(), set(known)
    for group, members in members_by_group(roster).items():
        own: dict[str, Arrival] = {}
        for arrival, owner in zip(arrivals, owners, strict=True):
            if owner is not None:
                own.setdefault(owner.student, arrival)
        holders = [member for member in members if member.student in own]
        without = [member for member in members if member.student not in own and member.student not in settled]
        named = [at for at, arrival in enumerate(arrivals) if owners[at] is None and is_from_group(arrival, group)]
        candidates = [*(own[member.student] for member in holders), *(arrivals[at] for at in named)]
        different = different_arrivals(candidates) if len(candidates) > 1 else candidates
        if len(different) == 1 and without:
            by = member_list(holders) or f"`{candidates[0].label}`"
            note = f"Submitted for {group} by {by}."
            found = replace(different[0].with_note(note, "group"), submitted_by=member_list(holders))
            shared.further += [(member, found) for member in without]
            shared.used |= set(named)
            shared.remarks.append(f"{group}: the submission of {by} counts for {member_list(without)}.")
        elif len(different) > 1:
            labels = ", ".join(f"`{arrival.label}`" for arrival in different)
            sentence = f"{group} has different submissions: {labels}. Each counts for who submitted it."
            if without:
                sentence += (
                    f" None counts for {member_list(without)} until you say which: remove the others, and run again."
                )
            shared.remarks.append(sentence)
            shared.disputed += [(member, sentence) for member in without]
    return shared


def member_list(members: Sequence[Member]) -> str:
    return listed([member.name for member in members])


def is_from_group(arrival: Arrival, group: str) -> bool:
    """Whether a submission came under the group's name, as Canvas writes it where groups submit."""
    wanted = "".join(name_words(group))
    return any("".join(name_words(name)) == wanted for name in (arrival.student, *arrival.names))


def different_arrivals(arrivals: Sequence[Arrival]) -> list[Arrival]:
    """One of those with equal files: Moodle gives the files of a group once for each member."""
    return list({content_digest(arrival): arrival for arrival in reversed(arrivals)}.values())[::-1]


def content_digest(arrival: Arrival) -> str:
    """A digest of all gradable files, by name."""
    total = hashlib.sha256()
    found = files_below(arrival.path) if arrival.path.is_dir() else [(arrival.path, arrival.path.name)]
    for path, shown in sorted(found, key=lambda entry: entry[1]):
        try:
            data = read_file(path, MOST_ARCHIVE)
        except Unreadable:
            data = b""
        for part in (shown.encode("utf-8", "surrogateescape"), data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
