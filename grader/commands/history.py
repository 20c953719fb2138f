"""`grade history`: a student's attempts, verdicts and decisions, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Annotated

from rich.table import Table

from grader.commands.command_line import argument
from grader.commands.console import console_for
from grader.commands.decisions import DECISION_WORDS, student_names
from grader.commands.opened_gradebook import read_gradebook
from grader.commands.options import Out
from grader.gradebook.assignment.in_force import undone
from grader.gradebook.database import Gradebook
from grader.gradebook.lookup import find_student
from grader.gradebook.records import Decision
from grader.publish.inert import terminal_line
from grader.results import points_text
from grader.results.typed_json import time_from_text

HistoryLine = tuple[tuple[datetime, int], tuple[str, ...]]
"""((when, decisions come after attempts), the cells of the table)"""


def history(student: Annotated[str, argument("STUDENT")], out: Out) -> None:
    """Shows a student's attempts, verdicts and decisions, in order of time.

    Times are in the assignment's time zone; without a due date, in this machine's.

    Examples:
      grade history "Ada Okafor" -o hw2
    """
    with read_gradebook(out) as gradebook:
        name = find_student(student, *student_names(gradebook))
        assignment, current = gradebook.assignment(), gradebook.current_of(name)
        zone = assignment.due.tzinfo if assignment is not None and assignment.due is not None else None
        lines = [*attempt_lines(name, gradebook, zone), *decision_lines(gradebook.decisions(name), zone)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("when", "no.", "what", "points", "by", "text"):
        table.add_column(column, justify="right" if column == "no." else "left", overflow="fold")
    for _, cells in sorted(lines, key=lambda line: line[0]):
        table.add_row(*map(terminal_line, cells))
    console = console_for()
    console.print(table)
    total = f"{points_text(current.score)} of {points_text(current.max_score)}"
    state = "" if current.status == "graded" else f" ({current.status})"
    console.print(f"{terminal_line(name)} now has {total}{state}.", soft_wrap=True)


def attempt_lines(student: str, gradebook: Gradebook, zone: tzinfo | None) -> Iterator[HistoryLine]:
    """A line for each attempt, and for each verdict of a regrade on it."""
    attempts, seen = {each.id: each.attempt() for each in gradebook.stored_attempts(student)}, set[int]()
    for number, finished, results in gradebook.verdicts_on(student):
        attempt, time = attempts[number], time_from_text(finished)
        submitted = f", submitted {time_text(attempt.submitted, zone)}" if attempt.submitted else ""
        what = "graded again" if number in seen else f"attempt{submitted}"
        seen.add(number)
        points = f"{points_text(results.score)} of {points_text(results.max_score)}"
        state = "" if results.status == "graded" else results.status
        text = " ".join(part for part in (state, results.message) if part)
        yield (time, 0), (time_text(time, zone), f"#{number}", what, points, "", text)


def decision_lines(decisions: Sequence[Decision], zone: tzinfo | None) -> Iterator[HistoryLine]:
    """A line for each decision."""
    taken_back = undone(decisions)
    for each in decisions:
        about = f"{each.row} " if each.row else ""
        points = about.strip() if each.points is None else f"{about}{points_text(each.points)}"
        until = f" until {time_text(each.until, zone)}" if each.until else ""
        of = f" {each.undoes}" if each.undoes else ""
        state = "" if each.kind == "undo" or each.id not in taken_back else " (undone)"
        what = f"{DECISION_WORDS.get(each.kind, each.kind)}{of}{until}{state}"
        yield (each.made, 1), (time_text(each.made, zone), str(each.id), what, points, each.author, each.text)


def time_text(time: datetime, zone: tzinfo | None) -> str:
    """A time in the assignment's zone, else in this machine's, with the zone's name."""
    return f"{time.astimezone(zone):%Y-%m-%d %H:%M %Z}"
