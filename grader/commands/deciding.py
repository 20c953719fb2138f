"""Stores decisions, writes the pages that they change, and prints what each has changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from grader.commands.console import printable
from grader.commands.opened_gradebook import course_of, open_gradebook, write_other_gradebooks, write_views
from grader.commands.options import author_name
from grader.errors import UserError
from grader.gradebook.assignment.decision_file import DecisionEntry, date_in, points_in
from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.database import Gradebook
from grader.gradebook.grading.views import attendance_in
from grader.gradebook.lookup import (
    SharedName,
    UnknownStudent,
    find_row,
    find_student,
    members_index,
    points_of_part,
)
from grader.gradebook.records import Decision, DecisionKind
from grader.intake.submissions.people import PeopleIndex
from grader.results import points_text

NEW_KINDS = ("excuse", "extension")
"""Decisions that may come before the student's first submission."""
ONLY_WITH_ROSTER = (
    " If this student has not submitted anything yet, `grade run` must have a roster that has the student."
)
StudentNames = tuple[list[str], dict[str, str], PeopleIndex]
DECISION_WORDS = {
    "points": "adjusted",
    "comment": "comment",
    "excuse": "excused",
    "extension": "extended",
    "defence": "defended",
}


def student_names(gradebook: Gradebook) -> StudentNames:
    """The names that students have: in the gradebook, before a roster renamed them, and in the latest roster."""
    attendance = attendance_in(gradebook)
    members = [] if attendance is None else [*attendance.members.values(), *attendance.absent]
    return gradebook.students(), gradebook.new_names(), members_index(members)


def store_entries(
    kind: DecisionKind,
    entries: Sequence[DecisionEntry],
    out: Path,
    course: Path | None,
) -> None:
    """Store decisions of this kind, and write the pages that they change. Raises UserError."""
    with open_gradebook(out) as gradebook:
        names, assignment = student_names(gradebook), gradebook.assignment()
        due = None if assignment is None else assignment.due
        decisions = [decision_from(entry, kind, gradebook, names, due) for entry in entries]
        if any(entry.place for entry in entries):  # a file, which may be read again
            decisions = not_yet_made(decisions, gradebook.all_decisions())
        if kind == "extension" and due is None and decisions:
            click.echo("grade: the gradebook has no due date yet: extensions count as soon as it has one.", err=True)
        store(gradebook, decisions, out, course)
        if present := len(entries) - len(decisions):
            click.echo(f"{present} of {len(entries)} were in force already.")


def decision_from(
    entry: DecisionEntry, kind: DecisionKind, gradebook: Gradebook, names: StudentNames, due: datetime | None
) -> Decision:
    """The decision that an entry means, without author and date; `due` is the assignment's. Raises UserError."""
    try:
        student = find_student(entry.student, *names)
    except SharedName as error:
        raise UserError(f"{entry.place}{error}") from error
    except UnknownStudent as error:
        raise UserError(f"{entry.place}{error}{ONLY_WITH_ROSTER if kind in NEW_KINDS else ''}") from error
    row, points = None, None
    try:
        if entry.row:
            row = find_row(entry.row, gradebook.current_of(student))
        if entry.points:
            points = points_in(entry.points)
            most = points_of_part(gradebook.current_of(student), row)[1]
            if points > most:
                raise UserError(
                    f"{points_text(points)} points are too many: {row or 'the total'} has at most {points_text(most)}."
                )
    except UserError as error:
        raise UserError(f"{entry.place}{error}") from error
    until = date_in(entry.until, due, entry.place) if entry.until else None
    return Decision(0, student, kind, "", datetime.now(UTC), row, points, until, entry.text)


def store(gradebook: Gradebook, decisions: Iterable[Decision], out: Path, course: Path | None) -> None:
    """Store decisions, write the pages that they change, and print what each has changed. Raises UserError."""
    who, now = author_name(), datetime.now(UTC).replace(microsecond=0)
    new = [replace(each, author=who, made=now) for each in decisions]
    loaded = course_of(gradebook, course)
    before = {student: gradebook.current_of(student) for student in {each.student for each in new}}
    stored = gradebook.decisions.add(new)
    for each in stored:
        after, earlier = gradebook.current_of(each.student), before[each.student]
        changes = (
            [f"{each.row} {change(points_of_part(earlier, each.row), points_of_part(after, each.row))}"]
            if each.row
            else []
        )
        changes.append(f"total {change(points_of_part(earlier, None), points_of_part(after, None))}")
        what = f"decision {each.undoes} is undone" if each.kind == "undo" else DECISION_WORDS[each.kind]
        until = f" until {each.until:%Y-%m-%d %H:%M %Z}" if each.until else ""
        if each.kind == "points" and points_of_part(earlier, each.row) == points_of_part(after, each.row):
            what = "adjusted, which changes nothing now"
        click.echo(f"{each.id}: {printable(each.student)}: {what}{until}; {', '.join(changes)}.")
    if new or gradebook.stale():
        write_views(out, gradebook, loaded)
        write_other_gradebooks(out, before, course)


def change(before: tuple[float, float], after: tuple[float, float]) -> str:
    """ "0 → 1 of 1", "24 of 26" where nothing has changed."""
    (points, most), (now, most_now) = before, after
    if before == after:
        return f"{points_text(now)} of {points_text(most_now)}"
    if most == most_now:
        return f"{points_text(points)} → {points_text(now)} of {points_text(most)}"
    return f"{points_text(points)} of {points_text(most)} → {points_text(now)} of {points_text(most_now)}"
