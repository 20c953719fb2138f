"""When students submitted, from a file that an instructor gives or from the roster: for downloads that do not say it.

Moodle's grading worksheet has the time of the latest change of each submission. Canvas's submissions API gives JSON
with every attempt; its grade book and its file names have no time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from grader.errors import UserError
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.people import PeopleIndex, only
from grader.intake.submissions.roster import (
    FIRST_NAME_COLUMNS,
    LAST_NAME_COLUMNS,
    MARK_COLUMNS,
    ROSTER_COLUMNS,
    Attendance,
    Roster,
)
from grader.intake.submissions.tables import first_cell, read_table, read_text_of
from grader.intake.submissions.written_times import UnreadableTime, is_day_first, read_time

TIME_COLUMNS = (
    *("submitted", "submitted at", "submitted_at", "submission time", "submission date", "time of submission", "time"),
    *("last modified (submission)", "zuletzt geändert (abgabe)", "dernière modification (travail remis)"),
    *("última modificación (entrega)", "fecha de entrega", "última modificação (envio)", "ultima modifica (consegna)"),
)
"""Names of the column with the time; the documentation uses the first. Moodle's are in the language of who exports."""
ID_COLUMNS = (*MARK_COLUMNS, "vollständiger name")
NAME_COLUMNS = (
    *(*ROSTER_COLUMNS["name"], "sortable_name", "user name"),
    *("vollständiger name", "nom complet", "nombre completo"),
)
PERSON_COLUMNS = {*ID_COLUMNS, *NAME_COLUMNS, *FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS}
LATENESS_COLUMNS = ("late", "lateness (h:m:s)")
NOT_SUBMITTED = ("", "-", "–", "—", "null", "none", "n/a", "never")
IS_LATE = {"yes": "late", "true": "late", "no": "on time", "false": "on time"}


class NoZone(UserError):
    """Times without a time zone, where nothing says which zone they are in."""


@dataclass(frozen=True)
class SubmissionTime:
    """When somebody submitted, by a line of a file.

    Attributes:
        place: "times.csv, line 3", the source that reports show.
        when: with a time zone.
        ids: ids, e-mail addresses and logins; names: the names of the same person.
        platform: "late" or "on time", where the platform itself says so; else "".
    """

    place: str
    when: datetime
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    platform: str = ""


@dataclass(frozen=True)
class ReadTimes:
    """What a file or a roster says about times.

    Attributes:
        times: those that can be read.
        bad: a sentence about each line that cannot.
        zone: the time zone of times that do not have one, if there are such times.
    """

    times: tuple[SubmissionTime, ...]
    bad: tuple[str, ...] = ()
    zone: tzinfo | None = None


TimeRow = tuple[str, Mapping[str, str]]
"""(the place, such as "times.csv, line 3"; {column in small letters: cell})"""


def read_times(path: Path, zone: tzinfo | None) -> ReadTimes:
    """Read CSV, or the JSON of Canvas's submissions API. Raises UserError, NoZone.

    `zone` is that of times without one.
    """
    text = read_text_of(path, "the times")
    begin = text.lstrip().removeprefix("while(1);").lstrip()  # Canvas puts it before JSON that a browser asks for
    if begin[:1] in ("[", "{"):
        return times_of_rows(rows_of_json(path, begin), zone)
    table = read_table(path, "the times", PERSON_COLUMNS.union(TIME_COLUMNS), text)
    columns = {column.casefold() for column in table.columns}
    if columns.isdisjoint(TIME_COLUMNS) or columns.isdisjoint(PERSON_COLUMNS):
        raise table.without("id, email or name, and submitted")
    return times_of_rows([(f"{path.name}, {line}", row) for line, row in table.rows], zone)


def times_in_roster(roster: Roster, zone: tzinfo | None) -> ReadTimes:
    """The times in a roster that has them, such as Moodle's grading worksheet. Raises NoZone."""
    lines = ({column.strip().casefold(): cell.strip() for column, cell in m.line.items()} for m in roster.members)
    rows = zip(roster.members, lines, strict=True)
    return times_of_rows([(f"{roster.file}, {m.name}", line | {ID_COLUMNS[0]: m.student}) for m, line in rows], zone)


def rows_of_json(path: Path, text: str) -> list[TimeRow]:
    """The attempts in the answer of Canvas's submissions API. Raises UserError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is no JSON: save the page of Canvas's submissions API again.") from error
    entries, rows = data if isinstance(data, list) else [data], list[TimeRow]()
    if not all(isinstance(each, dict) and "submitted_at" in each for each in entries):
        raise UserError(f"{path} is not the answer of Canvas's submissions API: no `submitted_at` in every entry.")
    for number, entry in enumerate(entries, 1):
        user = entry.get("user") if isinstance(entry.get("user"), dict) else {}
        history = [each for each in (*(entry.get("submission_history") or ()), entry) if isinstance(each, dict)]
        for time, attempt in {str(each.get("submitted_at")): each for each in history}.items():
            # nothing is late for Canvas where it has no due date
            late = attempt.get("late") if attempt.get("cached_due_date", "unknown") is not None else None
            row = {**user, "user_id": entry.get("user_id"), "submitted_at": time, "late": str(late).lower()}
            cells = {name: str(value) for name, value in row.items() if isinstance(value, (str, int))}
            rows.append((f"{path.name}, entry {number}", cells))
    return rows


def times_of_rows(rows: Sequence[TimeRow], zone: tzinfo | None) -> ReadTimes:
    """The rows with their times read. Raises NoZone."""
    written = [(place, row, first_cell(row, TIME_COLUMNS)) for place, row in rows]
    written = [(place, row, text) for place, row, text in written if text.casefold() not in NOT_SUBMITTED]
    day_first = is_day_first(text for _, _, text in written)
    found, bad, has_local = list[SubmissionTime](), list[str](), False
    for place, row, text in written:
        try:
            when = read_time(text, day_first)
        except UnreadableTime as error:
            bad.append(f"{place}: {error}.")
            continue
        first, last = (first_cell(row, names) for names in (FIRST_NAME_COLUMNS, LAST_NAME_COLUMNS))
        names = [*(row.get(name, "") for name in NAME_COLUMNS), f"{first} {last}" if first and last else ""]
        ids, named = (tuple(filter(None, each)) for each in ((row.get(name) for name in ID_COLUMNS), names))
        if not ids and not named:
            bad.append(f"{place}: the line does not say who it is.")
            continue
        if when.tzinfo is None:
            if zone is None:
                raise NoZone(
                    f"{place} has a time without a time zone, {text!r}: write `timezone` in the assignment "
                    'file, such as timezone = "Europe/Zurich".'
                )
            when, has_local = when.replace(tzinfo=zone), True  # of an hour that the clocks repeat, the first
        says = first_cell(row, LATENESS_COLUMNS).casefold()
        is_duration = re.fullmatch("[0-9]+(:[0-9]+)*", says)
        platform = ("late" if says.strip("0:") else "on time") if is_duration else IS_LATE.get(says, "")
        found.append(SubmissionTime(place, when, ids, named, platform))
    return ReadTimes(tuple(found), tuple(bad), zone if has_local else None)


# Whose each time is ---------------------------------------------------------------------------------------------------


def times_by_student(
    times: Sequence[SubmissionTime], arrivals: Sequence[Arrival], attendance: Attendance | None = None
) -> tuple[dict[str, list[SubmissionTime]], list[str]]:
    """({student: their times, the earliest first}, a sentence for each line that is about nobody here, or several).

    An id, an address or a login decides; a name does so only where no id fits.
    """
    people, members = PeopleIndex(), [*attendance.absent, *attendance.members.values()] if attendance else []
    for arrival in arrivals:
        # the marks and names of a group's submission are those of the member who submitted
        own_marks, names = ((), ()) if arrival.submitted_by else (arrival.marks, arrival.names)
        people.add(arrival.student, [arrival.student, *own_marks, *names], [arrival.student, *names])
    for member in members:
        marks = [member.student, member.submission, *member.marks.values()]
        people.add(member.student, marks, [member.student, member.name])
    found, sentences = dict[str, list[SubmissionTime]](), list[str]()
    for time in times:
        ids, named = people.with_mark(*time.ids), people.with_words(*time.names)
        student = only(ids & named if ids and named else ids | named)
        if student is not None:
            found.setdefault(student, []).append(time)
            continue
        shown, whose = ", ".join(dict.fromkeys((*time.names, *time.ids))), " or ".join(sorted(ids | named))
        problem = f"{shown} may be {whose}" if whose else f"nobody here is {shown}"
        sentences.append(f"{time.place}: {problem}, so the time is not used.")
    for own in found.values():
        own.sort(key=lambda time: time.when)
    by_path = {each.path: found[each.student] for each in arrivals if each.student in found}
    for each in arrivals:  # of a group, whose members may have a single line
        if each.path in by_path:
            found.setdefault(each.student, by_path[each.path])
    return found, sentences
