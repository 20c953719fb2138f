"""`grade adjust`, `comment`, `excuse`, `extend` and `undo`: what a person decides about a student's points."""

from __future__ import annotations

import getpass
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from grader.commands.console import print_remarks, printable
from grader.commands.opened_gradebook import course_of, open_gradebook, write_other_gradebooks, write_views
from grader.errors import UserError
from grader.gradebook.assignment.in_force import not_yet_made, undone
from grader.gradebook.database import Gradebook
from grader.gradebook.decision_file import DecisionEntry, date_in, entries_from, points_in
from grader.gradebook.grading.views import attendance_in
from grader.gradebook.lookup import UnknownStudent, find_row, find_student, people_index, points_of_part, rows_by_lesson
from grader.gradebook.records import Decision, DecisionKind
from grader.intake.submissions.people import PeopleIndex
from grader.results import points_text
from grader.results.wording import count_text, listed


@dataclass(frozen=True)
class DecisionCommand:
    """What a command that stores decisions of one kind needs.

    Attributes:
        needed: the columns of a file, or the words of a command line, that may not be left out.
        skips: what a line of a file says in the column `excused` if the command `other` stores it.
        before_submission: whether it may be about a student who has not submitted anything yet.
    """

    kind: DecisionKind
    needed: tuple[str, ...]
    skips: str = ""
    other: str = ""
    before_submission: bool = False


COMMANDS = {
    "adjust": DecisionCommand("points", ("student", "row", "points", "text")),
    "comment": DecisionCommand("comment", ("student", "text")),
    "excuse": DecisionCommand("excuse", ("student", "text"), "no", "extend", True),
    "extend": DecisionCommand("extension", ("student", "until", "text"), "yes", "excuse", True),
}
TYPED_FIELDS = {"student": "STUDENT", "row": "ROW", "points": "--points", "until": "--until", "text": "--because"}
DECISION_WORDS = {
    "points": "adjusted",
    "comment": "comment",
    "excuse": "excused",
    "extension": "extended",
    "defence": "defended",
}
StudentNames = tuple[list[str], PeopleIndex]


def adjust(file: Path | None, out: Path, course: Path | None, **given: str | None) -> None:
    store_entries("adjust", file, given, out, course)


def excuse(file: Path | None, out: Path, course: Path | None, **given: str | None) -> None:
    store_entries("excuse", file, given, out, course)


def extend(file: Path | None, out: Path, course: Path | None, **given: str | None) -> None:
    store_entries("extend", file, given, out, course)


def comment(student: str, words: Sequence[str], out: Path, course: Path | None) -> None:
    if len(words) > 2:
        raise UserError(f"{len(words)} texts were given after the student: put the comment in quotation marks.")
    row = words[0] if len(words) == 2 else None
    store_entries("comment", None, {"student": student, "row": row, "text": words[-1]}, out, course)


def undo(entry: int, text: str | None, out: Path, course: Path | None) -> None:
    """Store a decision that takes back the one of this number. Raises UserError."""
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
    name: str, file: Path | None, given: Mapping[str, str | None], out: Path, course: Path | None
) -> None:
    """Store the decisions of the command `name`, from a CSV file or its command line. Raises UserError."""
    command = COMMANDS[name]
    entries = decision_entries(command, file, {field: value for field, value in given.items() if value})
    with open_gradebook(out) as gradebook:
        names, assignment = student_names(gradebook), gradebook.assignment()
        due = None if assignment is None else assignment.due
        decisions = [decision_from(entry, command, gradebook, names, due) for entry in entries]
        if file is not None:  # it may be read again
            decisions = not_yet_made(decisions, gradebook.decisions())
        if command.kind == "extension" and due is None and decisions:
            print_remarks(["the gradebook has no due date yet: extensions count as soon as it has one."])
        store(gradebook, decisions, out, course)
        if present := len(entries) - len(decisions):
            click.echo(f"{present} of {len(entries)} were in force already.")


def decision_entries(command: DecisionCommand, file: Path | None, values: dict[str, str]) -> list[DecisionEntry]:
    """The entries of `file`, or the one of the command line. Raises UserError."""
    if file is None:
        missing = [TYPED_FIELDS[field] for field in command.needed if field not in values]
        if missing:
            raise UserError(f"missing: {listed(missing)}. Or give --from CSV; see --help for examples.")
        return [DecisionEntry(**values)]
    if "student" in values:
        raise UserError("give a STUDENT or --from, not both.")
    found = entries_from(file, command.needed, values)
    chosen = [entry for entry in found if not entry.excused or entry.excused != command.skips]
    if left_out := len(found) - len(chosen):
        lines = count_text(left_out, "line was", "lines were")
        print_remarks([f"{lines} left out: `grade {command.other} --from` stores these."])
    return chosen


def student_names(gradebook: Gradebook) -> StudentNames:
    """The names that students have: in the gradebook, before a roster renamed them, and in the latest roster."""
    attendance = attendance_in(gradebook)
    members = [] if attendance is None else [*attendance.members.values(), *attendance.absent]
    return gradebook.students(), people_index(gradebook.people(), members)


def decision_from(
    entry: DecisionEntry, command: DecisionCommand, gradebook: Gradebook, names: StudentNames, due: datetime | None
) -> Decision:
    """The decision that an entry means, without author and date; `due` is the assignment's. Raises UserError."""
    row, points = None, None
    try:
        student = find_student(entry.student, *names)
        if entry.row:
            row = find_row(entry.row, rows_by_lesson(gradebook.current_of(student)), student)
        if entry.points:
            points = points_in(entry.points)
            most = points_of_part(gradebook.current_of(student), row)[1]
            if points > most:
                raise UserError(
                    f"{points_text(points)} points are too many: {row or 'the total'} has at most {points_text(most)}."
                )
    except UserError as error:
        advice = ""
        if isinstance(error, UnknownStudent) and command.before_submission:
            advice = (
                " If this student has not submitted anything yet, `grade run` must have a roster that has the student."
            )
        raise UserError(f"{entry.place}{error}{advice}") from error
    until = date_in(entry.until, due, entry.place) if entry.until else None
    return Decision(0, student, command.kind, "", datetime.now(UTC), row, points, until, entry.text)


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
        click.echo(f"{each.id}: {printable(each.student)}: {what}{until}; {', '.join(changes)}.")
    if new or gradebook.stale():
        write_views(out, gradebook, loaded)
        write_other_gradebooks(out, before, course)


def change_text(before: tuple[float, float], after: tuple[float, float]) -> str:
    """ "0 → 1 of 1", "24 of 26" where nothing has changed."""
    texts = [f"{points_text(points)} of {points_text(most)}" for points, most in dict.fromkeys((before, after))]
    if before[1] == after[1]:
        texts[:-1] = [points_text(before[0])] * (len(texts) - 1)
    return " → ".join(texts)


def author_name() -> str:
    """The first of the places where people leave their name: GRADE_AUTHOR, Git, the system."""
    return os.environ.get("GRADE_AUTHOR") or git_author() or login_name()


def git_author() -> str:
    """ "Ada Okafor <ada@example.org>"; "" without Git or a name."""
    name, email = git_setting("user.name"), git_setting("user.email")
    return f"{name} <{email}>" if name and email else name or email


def git_setting(key: str) -> str:
    try:
        return subprocess.run(["git", "config", key], capture_output=True, text=True, timeout=5).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in a container
        return f"user {os.getuid()}"
