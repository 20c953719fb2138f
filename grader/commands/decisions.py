"""`grade adjust`, `comment`, `excuse`, `extend` and `undo`: what a person decides about a student's points."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import click

from grader.commands.command_line import argument, option
from grader.commands.console import print_remarks
from grader.commands.opened_gradebook import (
    course_of,
    open_gradebook,
    read_gradebook,
    write_other_gradebooks,
    write_views,
)
from grader.commands.options import Because, CourseFolder, DecisionsFile, Out, PartOfWork, StudentWord
from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import not_yet_made, undone
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.decision_file import DecisionEntry, date_in, entries_from, extensions_of, points_in
from grader.gradebook.grading.views import attendance_in
from grader.gradebook.lookup import (
    SharedName,
    UnknownStudent,
    find_row,
    find_student,
    people_index,
    points_of_part,
    rows_by_lesson,
)
from grader.gradebook.records import Decision, DecisionKind
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.people import PeopleIndex
from grader.intake.submissions.roster import Roster
from grader.publish.inert import terminal_line
from grader.results import points_text
from grader.results.wording import count_text, listed

NEEDED_FIELDS: dict[DecisionKind, tuple[str, ...]] = {
    "points": ("student", "row", "points", "text"),
    "comment": ("student", "text"),
    "excuse": ("student", "text"),
    "extension": ("student", "until", "text"),
}
"""The columns of a file, or the words of a command line, that may not be left out."""
TYPED_FIELDS = {"student": "STUDENT", "row": "ROW", "points": "--points", "until": "--until", "text": "--because"}
DECISION_WORDS = {
    "points": "adjusted",
    "comment": "comment",
    "excuse": "excused",
    "extension": "extended",
    "defence": "defended",
}
MAX_UNKNOWN_SHOWN = 20
StudentNames = tuple[list[str], PeopleIndex]


def adjust(
    student: StudentWord,
    row: PartOfWork,
    points: Annotated[str | None, option("--points N", "What it is worth now, from 0 to its maximum.")],
    text: Because,
    file: DecisionsFile,
    out: Out,
    course: CourseFolder,
) -> None:
    """Sets a student's points for a row (03.dprobs), a lesson (03) or the total (`total`).

    Examples:
      grade adjust "Ada Okafor" 03.dprobs --points 1 --because "A bug in the suite"
      grade adjust ada total --points 0 --because "Plagiarism"   everything
      grade adjust --from adjustments.csv                        columns: student, row, points, because
    """
    store_entries("points", file, {"student": student, "row": row, "points": points, "text": text}, out, course)


def excuse(
    student: StudentWord, row: PartOfWork, text: Because, file: DecisionsFile, out: Out, course: CourseFolder
) -> None:
    """Leaves a row, a lesson or everything out of a student's points. Their maximum becomes smaller as well.

    Examples:
      grade excuse "Ada Okafor" --because "Ill, certificate seen"
      grade excuse --from excused.csv         columns: student, because; perhaps row
    """
    store_entries("excuse", file, {"student": student, "row": row, "text": text}, out, course)


def extend(
    student: StudentWord,
    until: Annotated[str | None, option("--until DATE", "Their due date, in the assignment's time zone.")],
    text: Because,
    file: DecisionsFile,
    out: Out,
    course: CourseFolder,
) -> None:
    """Gives STUDENT a due date of their own. It never lowers a score.

    Examples:
      grade extend "Ada Okafor" --until "2026-12-01 23:59" --because "Ill"
      grade extend ada --until 2026-12-01 --because "Ill"     at the usual time of day
      grade extend --from extensions.csv                      columns: student, until or excused, because
    """
    store_entries("extension", file, {"student": student, "until": until, "text": text}, out, course)


def comment(
    student: Annotated[str, argument("STUDENT")],
    words: Annotated[tuple[str, ...], argument("[ROW] TEXT", required=True)],
    out: Out,
    course: CourseFolder,
) -> None:
    """Adds a comment for a student, on one row or on everything. The report and feedback show it.

    Examples:
      grade comment "Ada Okafor" "Nice use of broadcasting."
      grade comment ada 03.dprobs "See me about this line."
    """
    if len(words) > 2:
        raise UserError(f"{len(words)} texts were given after the student: put the comment in quotation marks.")
    row = words[0] if len(words) == 2 else None
    store_entries("comment", None, {"student": student, "row": row, "text": words[-1]}, out, course)


def undo(entry: Annotated[int, argument("ENTRY")], text: Because, out: Out, course: CourseFolder) -> None:
    """Takes back the decision with this number in `grade history`.

    Nothing is deleted: an undo is a new entry, and it can be undone as well.

    Examples:
      grade undo 7 --because "It was another Ada"
    """
    if not text:
        raise UserError('--because is missing: give the reason, such as --because "It was another Ada".')
    with open_gradebook(out) as gradebook:
        decision = next((each for each in gradebook.decisions() if each.id == entry), None)
        if decision is None:
            raise UserError(f"there is no decision {entry}: `grade history STUDENT` shows the numbers.")
        if other := undone(gradebook.decisions(decision.student)).get(entry):
            raise UserError(f"decision {entry} was undone already, by entry {other}.")
        undoing = replace(decision, kind="undo", text=text, undoes=entry, points=None, until=None)
        store(gradebook, [undoing], out, course)


def store_entries(
    kind: DecisionKind, file: Path | None, given: Mapping[str, str | None], out: Path, course: Path | None
) -> None:
    """Store the decisions of a CSV file, or the one of the command line. Raises UserError."""
    values, needed = {field: value for field, value in given.items() if value}, NEEDED_FIELDS[kind]
    if file is not None and "student" in values:
        raise UserError("give a STUDENT or --from, not both.")
    if file is not None:
        entries = entries_from(file, needed, values)
    elif missing := [TYPED_FIELDS[field] for field in needed if field not in values]:
        raise UserError(f"missing: {listed(missing)}. Or give --from CSV; see --help for examples.")
    else:
        entries = [DecisionEntry(**values)]
    with open_gradebook(out) as gradebook:
        names, assignment = student_names(gradebook), gradebook.assignment()
        due = None if assignment is None else assignment.due
        decisions = [decision_from(entry, kind, gradebook, names, due) for entry in entries]
        if file is not None:  # it may be read again
            decisions = not_yet_made(decisions, gradebook.decisions())
        if due is None and any(each.kind == "extension" for each in decisions):
            print_remarks(["the gradebook has no due date yet: extensions count as soon as it has one."])
        store(gradebook, decisions, out, course)
        if present := len(entries) - len(decisions):
            click.echo(f"{present} of {len(entries)} were in force already.")


def student_names(gradebook: Gradebook) -> StudentNames:
    """The names that students have: in the gradebook, before a roster renamed them, and in the latest roster."""
    attendance = attendance_in(gradebook)
    members = [] if attendance is None else [*attendance.members.values(), *attendance.absent]
    return gradebook.students(), people_index(gradebook.people(), members)


def decision_from(
    entry: DecisionEntry, kind: DecisionKind, gradebook: Gradebook, names: StudentNames, due: datetime | None
) -> Decision:
    """The decision that an entry means, without author and date; `due` is the assignment's. Raises UserError.

    A line of a file with a date is an extension, one without an excuse.
    """
    if kind in ("excuse", "extension"):
        kind = "extension" if entry.until else "excuse"
        if entry.until and entry.excused == "yes":
            raise UserError(f"{entry.place}expected either a date in `until`, or yes in `excused`.")
    row, points = None, None
    try:
        student = find_student(entry.student, *names)
        if entry.row:
            row = find_row(entry.row, rows_by_lesson(gradebook.current_of(student)), student)
        if entry.points:
            points, most = points_in(entry.points), points_of_part(gradebook.current_of(student), row)[1]
            if points > most:
                what, figures = row or "the total", points_text(most)
                raise UserError(f"{points_text(points)} points are too many: {what} has at most {figures}.")
    except UserError as error:
        advice = " If this student has not submitted anything yet, `grade run` must have a roster that has the student."
        is_unknown = isinstance(error, UnknownStudent) and kind in ("excuse", "extension")
        raise UserError(f"{entry.place}{error}{advice if is_unknown else ''}") from error
    until = date_in(entry.until, due, entry.place) if entry.until else None
    return Decision(0, student, kind, "", datetime.now(UTC), row, points, until, entry.text)


def store(gradebook: Gradebook, decisions: Iterable[Decision], out: Path, course: Path | None) -> None:
    """Store decisions, write the pages that they change, and print what each has changed. Raises UserError."""
    who, now = author_name(), datetime.now(UTC).replace(microsecond=0)
    new = [replace(each, author=who, made=now) for each in decisions]
    loaded = course_of(gradebook, course)
    before = {student: gradebook.current_of(student) for student in {each.student for each in new}}
    for each in gradebook.decide(new):
        after, earlier = gradebook.current_of(each.student), before[each.student]
        parts = [(f"{each.row} ", each.row)] if each.row else []
        changes = [
            f"{name}{change_text(points_of_part(earlier, part), points_of_part(after, part))}"
            for name, part in (*parts, ("total ", None))
        ]
        what = f"decision {each.undoes} is undone" if each.kind == "undo" else DECISION_WORDS[each.kind]
        until = f" until {each.until:%Y-%m-%d %H:%M %Z}" if each.until else ""
        if each.kind == "points" and points_of_part(earlier, each.row) == points_of_part(after, each.row):
            what = "adjusted, which changes nothing now"
        click.echo(f"{each.id}: {terminal_line(each.student)}: {what}{until}; {', '.join(changes)}.")
    if new or gradebook.stale():
        write_views(out, gradebook, loaded)
        write_other_gradebooks(out, before, course)


def extensions_from(
    file: Path, assignment: Assignment | None, out: Path, found: FoundSubmissions, roster: Roster | None
) -> list[Decision]:
    """The decisions in a file of extensions, about students of this run, of the gradebook and of the roster.

    A line about anybody else has no effect, and standard error says so. Raises UserError.
    """
    if assignment is None:
        raise UserError("--extensions needs an assignment, whose due date they extend: add --assignment FILE.")
    entries = entries_from(file, ("student",))
    names, known = {arrival.student for arrival in found.arrivals}, dict[str, set[str]]()
    if (out / GRADEBOOK).is_file():
        with read_gradebook(out) as gradebook:
            names, known = names | set(gradebook.students()), gradebook.people()
    members = roster.members if roster is not None else ()
    students, people = sorted(names | {each.student for each in members}), people_index(known, members)

    def student_called(wanted: str) -> str | None:
        try:
            return find_student(wanted, students, people)
        except UnknownStudent:
            return None
        except SharedName as error:
            raise UserError(f"{file}: {error}") from error

    decisions, unknown = extensions_of(entries, student_called, assignment, author_name(), datetime.now(UTC))
    print_remarks(
        f"{entry.place}no student {entry.student!r} in this run, gradebook or roster; the line is ignored. Use the "
        "name in grades.csv, or give --roster for ids and e-mail addresses."
        for entry in unknown[:MAX_UNKNOWN_SHOWN]
    )
    if rest := unknown[MAX_UNKNOWN_SHOWN:]:
        print_remarks([f"{file}: {count_text(len(rest), 'more line has', 'more lines have')} no effect."])
    return decisions


def change_text(before: tuple[float, float], after: tuple[float, float]) -> str:
    """ "0 → 1 of 1", "24 of 26" where nothing has changed."""
    texts = [f"{points_text(points)} of {points_text(most)}" for points, most in dict.fromkeys((before, after))]
    if before[1] == after[1]:
        texts[:-1] = [points_text(before[0])] * (len(texts) - 1)
    return " → ".join(texts)


def author_name() -> str:
    """Who decides: GRADE_AUTHOR, else the name of the login."""
    try:
        return os.environ.get("GRADE_AUTHOR") or getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in a container
        return f"user {os.getuid()}"
