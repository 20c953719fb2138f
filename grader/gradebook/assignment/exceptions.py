"""Extensions and excused students of a CSV file, as decisions about students. docs/assignments.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.assignment.in_force import in_force
from grader.gradebook.assignment.rows import names_of_lesson
from grader.gradebook.decision_file import DecisionEntry, date_in
from grader.gradebook.records import Decision, DecisionKind


def decisions_of(
    entries: Iterable[DecisionEntry],
    find: Callable[[str], str | None],
    assignment: Assignment,
    author: str,
    now: datetime,
) -> tuple[list[Decision], list[DecisionEntry]]:
    """(the decisions of the entries, the entries whose student is not known). `find` gives a student's name in results.

    Raises UserError, with the line.
    """
    found, unknown = [], []
    for entry in entries:
        if bool(entry.until) == (entry.excused == "yes"):
            raise UserError(f"{entry.place}expected either a date in `until`, or yes in `excused`.")
        if entry.until and assignment.due is None:
            raise UserError(
                f"{entry.place}the assignment {assignment.title!r} has no due date that `until` could extend."
            )
        until = date_in(entry.until, assignment.due, entry.place) if entry.until else None
        row = row_named(entry.row, entry.place, assignment.rows)
        student = find(entry.student)
        if student is None:
            unknown.append(entry)
        else:
            kind: DecisionKind = "excuse" if until is None else "extension"
            found.append(Decision(0, student, kind, author, now, row, None, until, entry.text))
    return found, unknown


def row_named(cell: str, place: str, rows: Mapping[str, Mapping[str, float]]) -> str | None:
    """A lesson or a row as in Decision.row; None for an empty cell. Raises UserError."""
    if not cell:
        return None
    lesson_name, dot, row = cell.partition(".")
    for lesson, own in rows.items():
        if lesson_name in names_of_lesson(lesson) and (not dot or row in own):
            return f"{lesson}.{row}" if dot else lesson
    raise UserError(f"{place}the assignment has no row or lesson {cell!r}; it has {', '.join(rows)}.")


def not_yet_made(decisions: Sequence[Decision], made: Iterable[Decision]) -> list[Decision]:
    """Those of `decisions` that are not in force: the same file, read again, adds nothing."""
    present = {what_is_decided(decision) for decision in in_force(made)}
    return [decision for decision in decisions if what_is_decided(decision) not in present]


def what_is_decided(decision: Decision) -> tuple[object, ...]:
    """A decision without its author and time."""
    return decision.student, decision.kind, decision.row, decision.points, decision.until, decision.text
