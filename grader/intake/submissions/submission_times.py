"""When students submitted, from a file that an instructor gives or from the roster: for downloads that do not say it.

Moodle's grading worksheet has the time of the latest change of each submission. Canvas's submissions API gives JSON
with every attempt; its grade book and its file names have no time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

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
from grader.intake.submissions.tables import found_columns, read_table, read_text_of
from grader.intake.submissions.written_times import UnreadableTime, is_day_first, read_time

TIME_COLUMNS = (
    *("submitted", "submitted at", "submitted_at", "submission time", "submission date", "time of submission", "time"),
    *("last modified (submission)", "zuletzt geändert (abgabe)", "dernière modification (travail remis)"),
    *("última modificación (entrega)", "fecha de entrega", "última modificação (envio)", "ultima modifica (consegna)"),
)
"""Names of the column with the time; the documentation uses the first. Moodle's are in the language of who exports."""
FULL_NAME_COLUMNS = ("vollständiger name", "nom complet", "nombre completo")
ID_COLUMNS = (*MARK_COLUMNS, "vollständiger name")
NAME_COLUMNS = (*ROSTER_COLUMNS["name"], "sortable_name", "user name", *FULL_NAME_COLUMNS)
PERSON_COLUMNS = {*ID_COLUMNS, *NAME_COLUMNS, *FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS}
LATENESS_COLUMNS = ("late", "lateness (h:m:s)")
NOT_SUBMITTED = ("", "-", "–", "—", "null", "none", "n/a", "never")


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


WrittenTime = tuple[str, SubmissionTime]
"""(the time as it is written, the line of the file, whose `when` says nothing yet)"""


def read_times(path: Path, zone: tzinfo | None) -> ReadTimes:
    """Read CSV, or the JSON of Canvas's submissions API. Raises UserError, NoZone.

    `zone` is that of times without one.
    """
    text = read_text_of(path, "the times")
    begin = text.lstrip().removeprefix("while(1);").lstrip()  # Canvas puts it before JSON that a browser asks for
    return times_of_lines(lines_of_json(path, begin) if begin[:1] in ("[", "{") else lines_of_table(path, text), zone)


def times_in_roster(roster: Roster, name: str, zone: tzinfo | None) -> ReadTimes:
    """The times in a roster that has them, such as Moodle's grading worksheet. Raises NoZone."""
    column = next((each for each in roster.columns if each.strip().casefold() in TIME_COLUMNS), None)
    members = roster.members if column is not None else ()
    lines = ((m.line.get(column or "", ""), line_about(f"{name}, {m.name}", [m.student])) for m in members)
    return times_of_lines(lines, zone)


def line_about(place: str, ids: Iterable[Any], names: Iterable[Any] = (), platform: str = "") -> SubmissionTime:
    own, others = ([str(each) for each in texts if isinstance(each, (str, int)) and each] for texts in (ids, names))
    return SubmissionTime(place, datetime.min, tuple(own), tuple(others), platform)


def lines_of_table(path: Path, text: str) -> Iterator[WrittenTime]:
    known = PERSON_COLUMNS.union(TIME_COLUMNS)
    header, rows = read_table(
        path, "the times", lambda header: sum(cell.strip().casefold() in known for cell in header), text
    )
    columns = [cell.casefold() for cell in header]
    time_column = next((name for name in TIME_COLUMNS if name in columns), None)
    if time_column is None or PERSON_COLUMNS.isdisjoint(columns):
        needed = "id, email or name, and submitted"
        raise UserError(f"{path} needs a first line that names its columns: {needed}; {found_columns(header)}.")
    for number, cells in rows:
        entry = dict.fromkeys(known, "") | dict(zip(columns, map(str.strip, cells), strict=False))
        first, last = (max(entry[name] for name in role) for role in (FIRST_NAME_COLUMNS, LAST_NAME_COLUMNS))
        names = [*(entry[name] for name in NAME_COLUMNS), f"{first} {last}" if first and last else ""]
        says = next(filter(None, (entry.get(name, "") for name in LATENESS_COLUMNS)), "").casefold()
        is_late = says in ("yes", "true") or re.fullmatch("[0-9]+(:[0-9]+)*", says)
        on_time = says in ("no", "false") or re.fullmatch("0+(:0+)*", says)
        ids, platform = (entry[name] for name in ID_COLUMNS), "on time" if on_time else "late" if is_late else ""
        yield entry[time_column], line_about(f"{path.name}, line {number}", ids, names, platform)


def lines_of_json(path: Path, text: str) -> Iterator[WrittenTime]:
    """The attempts in the answer of Canvas's submissions API. Raises UserError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is no JSON: save the page of Canvas's submissions API again.") from error
    entries = data if isinstance(data, list) else [data]
    if not all(isinstance(each, dict) and "submitted_at" in each for each in entries):
        raise UserError(f"{path} is not the answer of Canvas's submissions API: no `submitted_at` in every entry.")
    for number, entry in enumerate(entries, 1):
        user = entry.get("user") if isinstance(entry.get("user"), dict) else {}
        ids = [entry.get("user_id"), *(user.get(each) for each in ("sis_user_id", "login_id", "email"))]
        history = [each for each in (*(entry.get("submission_history") or ()), entry) if isinstance(each, dict)]
        for time, attempt in {str(each.get("submitted_at")): each for each in history}.items():
            # nothing is late for Canvas where it has no due date
            late = attempt.get("late") if attempt.get("cached_due_date", "unknown") is not None else None
            says = {True: "late", False: "on time"}.get(late, "") if isinstance(late, bool) else ""
            names = [user.get("name"), user.get("sortable_name")]
            yield time, line_about(f"{path.name}, entry {number}", ids, names, says)


def times_of_lines(lines: Iterable[WrittenTime], zone: tzinfo | None) -> ReadTimes:
    """The lines with their times read. Raises NoZone."""
    written = [(text.strip(), line) for text, line in lines if text.strip().casefold() not in NOT_SUBMITTED]
    day_first = is_day_first(text for text, _ in written)
    found, bad, has_local = [], [], False
    for text, line in written:
        try:
            when = read_time(text, day_first)
        except UnreadableTime as error:
            bad.append(f"{line.place}: {error}.")
            continue
        if not line.ids and not line.names:
            bad.append(f"{line.place}: the line does not say who it is.")
            continue
        if when.tzinfo is None:
            if zone is None:
                raise NoZone(
                    f"{line.place} has a time without a time zone, {text!r}: write `timezone` in the assignment "
                    'file, such as timezone = "Europe/Zurich".'
                )
            when, has_local = when.replace(tzinfo=zone), True  # of an hour that the clocks repeat, the first
        found.append(replace(line, when=when))
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
