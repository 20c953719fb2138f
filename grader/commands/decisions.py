"""`grade adjust`, `comment`, `excuse`, `extend` and `undo`: what a person decides about a student's points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import click

from grader.commands.author import author_name, author_option
from grader.commands.console import course_option, fail, printable
from grader.commands.decision_entries import Entry, date_in, entries_from, points_in
from grader.commands.opened_gradebook import (
    RowParam,
    StudentParam,
    course_of,
    open_gradebook,
    out_option,
    write_views,
)
from grader.errors import UserError
from grader.gradebook.assignment.in_force import in_force
from grader.gradebook.database import Gradebook
from grader.gradebook.lookup import UnknownStudent, find_row, find_student, part_of
from grader.gradebook.records import Decision, Kind
from grader.results import number

Command = TypeVar("Command", bound=Callable[..., object])
because_option = click.option("--because", default="", metavar="TEXT", help="The reason, which the student may read.")
from_option = click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="CSV",
    help="A decision per line, all stored or none; what is in force already is left out.",
)
new_option = click.option(
    "--not-yet", is_flag=True, help="Also for a student who has not submitted anything yet: their exact name."
)


def decision_options(command: Command) -> Command:
    """The options that every one of these commands has."""
    for option in (course_option, author_option, out_option):
        command = option(command)
    return command


# The commands ---------------------------------------------------------------------------------------------------------


@click.command(
    epilog="""\b
Examples:
  grade adjust "Ada Okafor" 03.dprobs --points 1 --because "A bug in the suite"
  grade adjust ada 03 --points 20 --because "Oral exam"      a whole lesson
  grade adjust ada total --points 0 --because "Plagiarism"   everything
  grade adjust --from adjustments.csv                        columns: student, row, points, because
"""
)
@click.argument("student", type=StudentParam(), required=False)
@click.argument("row", type=RowParam(), required=False)
@click.option("--points", metavar="N", help="What the row, lesson or total is worth now, from 0 to its maximum.")
@because_option
@from_option
@decision_options
def adjust(
    student: str | None,
    row: str | None,
    points: str | None,
    because: str,
    file: Path | None,
    out: Path,
    author: str | None,
    course: Path | None,
) -> None:
    """Sets the points of ROW for STUDENT, whatever later runs find: a row (03.dprobs), a lesson (03) or `total`."""
    given = {"student": student, "row": row, "points": points, "text": because}
    decide("points", entries_of(given, file, ("student", "row", "points", "text")), out, author, course)


@click.command(
    epilog="""\b
Examples:
  grade comment "Ada Okafor" "Nice use of broadcasting."
  grade comment ada 03.dprobs "See me about this line."
"""
)
@click.argument("student", type=StudentParam())
@click.argument("words", nargs=-1, required=True, metavar="[ROW] TEXT", type=RowParam())
@decision_options
def comment(student: str, words: tuple[str, ...], out: Path, author: str | None, course: Path | None) -> None:
    """Adds a comment for STUDENT, on everything or on one ROW. It is shown in the report and in feedback."""
    if len(words) > 2:
        fail(f"{len(words)} texts were given after the student: put the comment in quotation marks.")
    entry = Entry(student, words[0] if len(words) == 2 else "", text=words[-1])
    decide("comment", [entry], out, author, course)


@click.command(
    epilog="""\b
Examples:
  grade excuse "Ada Okafor" --because "Ill, certificate seen"
  grade excuse ada 05 --because "Changed course"               one lesson
  grade excuse --from excused.csv                              columns: student, because; perhaps row
"""
)
@click.argument("student", type=StudentParam(), required=False)
@click.argument("row", type=RowParam(), required=False)
@because_option
@from_option
@new_option
@decision_options
def excuse(
    student: str | None,
    row: str | None,
    because: str,
    file: Path | None,
    not_yet: bool,
    out: Path,
    author: str | None,
    course: Path | None,
) -> None:
    """Leaves everything, or ROW, out of STUDENT's points and of their maximum."""
    given = {"student": student, "row": row, "text": because}
    decide("excuse", entries_of(given, file, ("student", "text")), out, author, course, not_yet)


@click.command(
    epilog="""\b
Examples:
  grade extend "Ada Okafor" --until "2026-12-01 23:59" --because "Ill"
  grade extend ada --until 2026-12-01 --because "Ill"          until 23:59 on that day
  grade extend --from extensions.csv --not-yet                 columns: student, until, because
"""
)
@click.argument("student", type=StudentParam(), required=False)
@click.option("--until", metavar="DATE", help="The student's own due date, in the assignment's time zone.")
@because_option
@from_option
@new_option
@decision_options
def extend(
    student: str | None,
    until: str | None,
    because: str,
    file: Path | None,
    not_yet: bool,
    out: Path,
    author: str | None,
    course: Path | None,
) -> None:
    """Gives STUDENT a due date of their own. It never lowers a score."""
    given = {"student": student, "until": until, "text": because}
    decide("extension", entries_of(given, file, ("student", "until", "text")), out, author, course, not_yet)


@click.command(
    epilog="""\b
Examples:
  grade history ada                              shows the entries with their numbers
  grade undo 7 --because "It was another Ada"
"""
)
@click.argument("entry", type=int)
@because_option
@decision_options
def undo(entry: int, because: str, out: Path, author: str | None, course: Path | None) -> None:
    """Takes back the decision with the number ENTRY, by another entry: nothing is deleted. An undo can be undone."""
    if not because:
        fail('--because is missing: give the reason, such as --because "It was another Ada".')
    with open_gradebook(out) as gradebook:
        decision = gradebook.decisions.find(entry)
        if decision is None:
            raise UserError(f"there is no decision {entry}: `grade history STUDENT` shows the numbers.")
        about = gradebook.decisions_about(find_student(decision.student, *names_in(gradebook)))
        for other in about:
            if other.kind == "undo" and other.undoes == entry and is_in_force(other, about):
                raise UserError(f"decision {entry} was undone already, by entry {other.id}.")
        undoing = replace(decision, kind="undo", text=because, undoes=entry, row=decision.row, points=None, until=None)
        store(gradebook, [undoing], out, author, course)


def is_in_force(undoing: Decision, decisions: Sequence[Decision]) -> bool:
    """Whether nobody has undone an undo."""
    return not any(
        other.kind == "undo" and other.undoes == undoing.id and is_in_force(other, decisions) for other in decisions
    )


# What they share ------------------------------------------------------------------------------------------------------


def entries_of(given: dict[str, str | None], file: Path | None, needed: Sequence[str]) -> list[Entry]:
    """The entries of `file`, or the one of the command line. Raises UserError."""
    values = {name: value for name, value in given.items() if value}
    if file is not None:
        if "student" in values:
            fail("give a STUDENT or --from, not both.")
        return entries_from(file, needed, values)
    options = {"points": "--points", "until": "--until", "text": "--because"}
    missing = [options.get(name, name.upper()) for name in needed if name not in values]
    if missing:
        fail(f"{' and '.join(missing)} is missing (or give --from CSV); see --help for examples.")
    return [Entry(**values)]


def names_in(gradebook: Gradebook) -> tuple[list[str], dict[str, str]]:
    return gradebook.students(), gradebook.new_names()


def decide(
    kind: Kind,
    entries: Sequence[Entry],
    out: Path,
    author: str | None,
    course: Path | None,
    new: bool = False,
) -> None:
    """Store decisions of this kind, and write the pages that they change. Raises UserError."""
    with open_gradebook(out, new) as gradebook:
        names, assignment = names_in(gradebook), gradebook.assignment()
        zone = assignment.due.tzinfo if assignment is not None and assignment.due is not None else None
        decided, decisions = gradebook.decisions_by_student(), list[Decision]()
        present = 0
        for entry in entries:
            decision = decision_from(entry, kind, gradebook, names, new)
            if entry.until:
                decision = replace(decision, until=date_in(entry.until, zone, entry.place))
            if entry.place and any(is_same(decision, each) for each in in_force(decided.get(decision.student, []))):
                present += 1
                continue
            decisions.append(decision)
        if kind == "extension" and zone is None and decisions:
            click.echo("grade: the gradebook has no due date yet: extensions count as soon as it has one.", err=True)
        store(gradebook, decisions, out, author, course)
        if present:
            click.echo(f"{present} of {len(entries)} were in force already.")


def decision_from(
    entry: Entry, kind: Kind, gradebook: Gradebook, names: tuple[list[str], dict[str, str]], new: bool
) -> Decision:
    """The decision that an entry means, without author and date. Raises UserError."""
    try:
        student = find_student(entry.student, *names)
    except UnknownStudent as error:
        if not new:
            hint = " Has this student not submitted anything yet? Then add --not-yet." if kind in NEW_KINDS else ""
            raise UserError(f"{entry.place}{error}{hint}") from error
        student = entry.student
    row, points = None, None
    try:
        if entry.row:
            row = find_row(entry.row, gradebook.current_of(student))
        if entry.points:
            points = points_in(entry.points, "")
            most = part_of(gradebook.current_of(student), row)[1]
            if points > most:
                raise UserError(
                    f"{points:g} points are more than the most that {row or 'the total'} can have, {most:g}: give at "
                    "most that."
                )
    except UserError as error:
        raise UserError(f"{entry.place}{error}") from error
    return Decision(0, student, kind, "", datetime.now(UTC), row, points, None, entry.text)


NEW_KINDS = ("excuse", "extension")


def is_same(decision: Decision, other: Decision) -> bool:
    return (decision.kind, decision.row, decision.points, decision.until, decision.text) == (
        (other.kind, other.row, other.points, other.until, other.text)
    )


def store(
    gradebook: Gradebook, decisions: Iterable[Decision], out: Path, author: str | None, course: Path | None
) -> None:
    """Store decisions, write the pages that they change, and print what each has changed. Raises UserError."""
    who, now = author_name(author), datetime.now(UTC).replace(microsecond=0)
    new = [replace(each, author=who, made=now) for each in decisions]
    loaded = course_of(gradebook, course)
    before = {student: gradebook.current_of(student) for student in {each.student for each in new}}
    stored = gradebook.decisions.add(new)
    for each in stored:
        after, earlier = gradebook.current_of(each.student), before[each.student]
        changes = [f"{each.row} {change(part_of(earlier, each.row), part_of(after, each.row))}"] if each.row else []
        changes.append(f"total {change(part_of(earlier, None), part_of(after, None))}")
        what = f"{each.kind} {each.undoes} undone" if each.kind == "undo" else WORDS[each.kind]
        until = f" until {each.until:%Y-%m-%d %H:%M %Z}" if each.until else ""
        if each.kind == "points" and part_of(earlier, each.row) == part_of(after, each.row):
            what = "adjusted, which changes nothing now"
        click.echo(f"{each.id}: {printable(each.student)}: {what}{until}; {', '.join(changes)}.")
    if new or gradebook.stale():
        write_views(out, gradebook, loaded).print()


WORDS = {"points": "adjusted", "comment": "comment", "excuse": "excused", "extension": "extended"}


def change(before: tuple[float, float], after: tuple[float, float]) -> str:
    """ "0 → 1 of 1", "24 of 26" where nothing has changed."""
    (points, most), (now, most_now) = before, after
    if before == after:
        return f"{number(now):g} of {number(most_now):g}"
    if most == most_now:
        return f"{number(points):g} → {number(now):g} of {number(most):g}"
    return f"{number(points):g} of {number(most):g} → {number(now):g} of {number(most_now):g}"
