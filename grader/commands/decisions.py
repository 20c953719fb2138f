"""What a person decides about a student's points: `grade adjust`, `comment`, `excuse`, `extend`, `undo`, `history`."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Annotated

import click
from rich.table import Table

from grader.commands.command_line import argument, option
from grader.commands.console import console_for, print_remarks, say
from grader.commands.options import Because, StudentName
from grader.commands.out_folder import BookToRead, OutFolder, OutToWrite
from grader.errors import UserError
from grader.gradebook.assignment.in_force import undone
from grader.gradebook.database import Gradebook
from grader.gradebook.extension_file import date_in
from grader.gradebook.grading.views import roster_in
from grader.gradebook.lookup import TOTAL_ROW, ClassNames, find_row, points_of_part, rows_by_lesson
from grader.gradebook.records import Decision, DecisionKind
from grader.publish.inert import terminal_line
from grader.results import points_text
from grader.typed_json import time_from_text

DECISION_WORDS = {
    "points": "adjusted",
    "comment": "comment",
    "excuse": "excused",
    "extension": "extended",
    "defence": "defended",
}


# The commands ---------------------------------------------------------------------------------------------------------


def adjust(
    student: StudentName,
    row: Annotated[str, argument("ROW")],
    points: Annotated[float, option("--points N", "From 0 to its maximum.", click.FloatRange(0), required=True)],
    text: Because,
    out: OutToWrite,
) -> None:
    """Sets a student's points for a row (03.dprobs), a lesson (03) or the total (`total`).

    Examples:
      grade adjust "Ada Okafor" 03.dprobs --points 1 --because "A bug in the suite"
    """
    decide(out, "points", student, row, text, points=points)


def excuse(student: StudentName, row: Annotated[str | None, argument("[ROW]")], text: Because, out: OutToWrite) -> None:
    """Leaves a row, a lesson or everything out of a student's points. Their maximum becomes smaller as well.

    Examples:
      grade excuse "Ada Okafor" --because "Ill, certificate seen"
    """
    decide(out, "excuse", student, row, text)


def extend(
    student: StudentName,
    until: Annotated[str, option("--until DATE", "Their due date, in the assignment's time zone.", required=True)],
    text: Because,
    out: OutToWrite,
) -> None:
    """Gives STUDENT a due date of their own. It never lowers a score. For many: `grade run --extensions`.

    Examples:
      grade extend "Ada Okafor" --until "2026-12-01 23:59" --because "Ill"     without a time: at the usual one
    """
    decide(out, "extension", student, None, text, until=until)


def comment(
    student: StudentName,
    words: Annotated[tuple[str, ...], argument("[ROW] TEXT", required=True)],
    out: OutToWrite,
) -> None:
    """Adds a comment for a student, on one row or on everything. The report and feedback show it.

    Examples:
      grade comment "Ada Okafor" 03.dprobs "See me about this line."
    """
    if len(words) > 2:
        raise UserError(f"{len(words)} texts were given after the student: put the comment in quotation marks.")
    decide(out, "comment", student, words[0] if len(words) == 2 else None, words[-1])


def undo(entry: Annotated[int, argument("ENTRY")], text: Because, out: OutToWrite) -> None:
    """Takes back the decision with this number in `grade history`. An undo is a new entry, and can be undone as well.

    Examples:
      grade undo 7 --because "It was another Ada"
    """
    decision = next((each for each in out.gradebook.decisions() if each.id == entry), None)
    if decision is None:
        raise UserError(f"there is no decision {entry}: `grade history STUDENT` shows the numbers.")
    if other := undone(out.gradebook.decisions(decision.student)).get(entry):
        raise UserError(f"decision {entry} was undone already, by entry {other}.")
    store(out, [replace(decision, kind="undo", text=text, undoes=entry, points=None, until=None)])


def history(student: StudentName, gradebook: BookToRead) -> None:
    """Shows a student's attempts, verdicts and decisions, in order of time.

    Times are in the assignment's time zone; without a due date, in this machine's.

    Examples:
      grade history "Ada Okafor" -o hw2
    """
    name = student_called(gradebook, student)
    assignment, current = gradebook.assignment(), gradebook.current_of(name)
    zone = assignment.due.tzinfo if assignment is not None and assignment.due is not None else None
    lines = [*attempt_lines(name, gradebook, zone), *decision_lines(gradebook.decisions(name), zone)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("when", "no.", "what", "points", "by", "text"):
        table.add_column(column, justify="right" if column == "no." else "left", overflow="fold")
    for time, cells in sorted(lines, key=lambda line: line[0]):
        table.add_row(time_text(time, zone), *map(terminal_line, cells))
    console_for().print(table)
    total = f"{points_text(current.score)} of {points_text(current.max_score)}"
    state = "" if current.status == "graded" else f" ({current.status})"
    say(f"{name} now has {total}{state}.")


# Decisions ------------------------------------------------------------------------------------------------------------


def student_called(gradebook: Gradebook, wanted: str) -> str:
    """The student with a name of the gradebook, an earlier one, or one in the latest roster. Raises UserError."""
    return ClassNames(gradebook.students(), gradebook.people(), roster_in(gradebook)).find(wanted)


def decide(
    out: OutFolder,
    kind: DecisionKind,
    wanted: str,
    part: str | None,
    text: str,
    points: float | None = None,
    until: str | None = None,
) -> None:
    """Store a decision about the student who is `wanted`, or about a part of their work. Raises UserError."""
    student, assignment = student_called(out.gradebook, wanted), out.gradebook.assignment()
    current = out.gradebook.current_of(student)
    row = find_row(part, rows_by_lesson(current), student) if part else None
    most = points_of_part(current, row)[1]
    if points is not None and not points <= most:  # nor is nan
        raise UserError(f"{points:g} points are too many: {row or 'the total'} has at most {points_text(most)}.")
    due = None if assignment is None else assignment.due
    if until and due is None:
        print_remarks(["the gradebook has no due date yet: extensions count as soon as it has one."])
    date = date_in(until, due) if until else None
    store(out, [Decision(0, student, kind, "", datetime.now(UTC), row, points, date, text)])


def store(out: OutFolder, decisions: Iterable[Decision]) -> None:
    """Store decisions, write the pages that they change, and print what each has changed. Raises UserError."""
    gradebook, who, now = out.gradebook, author_name(), datetime.now(UTC).replace(microsecond=0)
    new = [replace(each, author=who, made=now) for each in decisions]
    before = {student: gradebook.current_of(student) for student in {each.student for each in new}}
    for each in gradebook.decide(new):
        after, earlier = gradebook.current_of(each.student), before[each.student]
        changes = [
            f"{part or TOTAL_ROW} {change_text(points_of_part(earlier, part), points_of_part(after, part))}"
            for part in dict.fromkeys((each.row, None))
        ]
        what = f"decision {each.undoes} is undone" if each.kind == "undo" else DECISION_WORDS[each.kind]
        until = f" until {each.until:%Y-%m-%d %H:%M %Z}" if each.until else ""
        if each.kind == "points" and points_of_part(earlier, each.row) == points_of_part(after, each.row):
            what = "adjusted, which changes nothing now"
        say(f"{each.id}: {each.student}: {what}{until}; {', '.join(changes)}.")
    if new or gradebook.stale():
        out.publish(before)


def author_name() -> str:
    """Who decides: GRADE_AUTHOR, else the name of the login."""
    try:
        return os.environ.get("GRADE_AUTHOR") or getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in a container
        return f"user {os.getuid()}"


# Text -----------------------------------------------------------------------------------------------------------------


def attempt_lines(student: str, gradebook: Gradebook, zone: tzinfo | None) -> Iterator[tuple[datetime, list[str]]]:
    """The time and the other cells of a line for each attempt, and for each verdict of a regrade on it."""
    attempts, seen = {each.id: each for each in gradebook.attempts(student)}, set[int]()
    for number, finished, results in gradebook.verdicts_on(student):
        attempt = attempts[number]
        submitted = f", submitted {time_text(attempt.submitted, zone)}" if attempt.submitted else ""
        what = "graded again" if number in seen else f"attempt{submitted}"
        seen.add(number)
        points = f"{points_text(results.score)} of {points_text(results.max_score)}"
        text = " ".join(filter(None, ("" if results.status == "graded" else results.status, results.message)))
        yield time_from_text(finished), [f"#{number}", what, points, "", text]


def decision_lines(decisions: list[Decision], zone: tzinfo | None) -> Iterator[tuple[datetime, list[str]]]:
    """The time and the other cells of a line for each decision."""
    taken_back = undone(decisions)
    for each in decisions:
        points = " ".join(filter(None, (each.row, "" if each.points is None else points_text(each.points))))
        until = f" until {time_text(each.until, zone)}" if each.until else ""
        what = f"undo {each.undoes}" if each.kind == "undo" else DECISION_WORDS[each.kind]
        state = " (undone)" if each.kind != "undo" and each.id in taken_back else ""
        yield each.made, [str(each.id), f"{what}{until}{state}", points, each.author, each.text]


def time_text(time: datetime, zone: tzinfo | None) -> str:
    """A time in the assignment's zone, else in this machine's, with the zone's name."""
    return f"{time.astimezone(zone):%Y-%m-%d %H:%M %Z}"


def change_text(before: tuple[float, float], after: tuple[float, float]) -> str:
    """ "0 → 1 of 1", "24 of 26" where nothing has changed."""
    texts = [f"{points_text(points)} of {points_text(most)}" for points, most in dict.fromkeys((before, after))]
    if before[1] == after[1]:
        texts[:-1] = [points_text(before[0])] * (len(texts) - 1)
    return " → ".join(texts)
