"""`grade adjust`, `comment`, `excuse`, `extend` and `undo`: what a person decides about a student's points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from grader.commands.console import course_option, fail
from grader.commands.deciding import is_in_force, store, store_entries
from grader.commands.opened_gradebook import RowParam, StudentParam, open_gradebook, out_option
from grader.commands.options import FILE_PATH, Command
from grader.errors import UserError
from grader.gradebook.assignment.decision_file import DecisionEntry, entries_from
from grader.results.wording import count_text, listed

because_option = click.option("--because", default="", metavar="TEXT", help="The reason, which the student may read.")
from_option = click.option(
    "--from",
    "file",
    type=FILE_PATH,
    metavar="CSV",
    help="One decision per line. Either all are stored or none; decisions already in force are skipped.",
)


def decision_options(command: Command) -> Command:
    """The options that every one of these commands has."""
    for option in (course_option, out_option):
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
    course: Path | None,
) -> None:
    """Sets a student's points for a row, a lesson or the total.

    ROW is a row (03.dprobs), a lesson (03) or `total`. Later runs do not change the decision.
    """
    given = {"student": student, "row": row, "points": points, "text": because}
    store_entries("points", decision_entries(given, file, ("student", "row", "points", "text")), out, course)


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
def comment(student: str, words: tuple[str, ...], out: Path, course: Path | None) -> None:
    """Adds a comment for a student, on one row or on everything.

    The comment is shown in the report and in feedback.
    """
    if len(words) > 2:
        fail(f"{len(words)} texts were given after the student: put the comment in quotation marks.")
    entry = DecisionEntry(student, words[0] if len(words) == 2 else "", text=words[-1])
    store_entries("comment", [entry], out, course)


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
@decision_options
def excuse(
    student: str | None,
    row: str | None,
    because: str,
    file: Path | None,
    out: Path,
    course: Path | None,
) -> None:
    """Leaves a row, or everything, out of a student's points.

    Their maximum becomes smaller as well.
    """
    given = {"student": student, "row": row, "text": because}
    found = decision_entries(given, file, ("student", "text"))
    chosen = [entry for entry in found if entry.excused != "no"]
    say_left_out(len(found) - len(chosen), "excuse nobody", "extend")
    store_entries("excuse", chosen, out, course)


@click.command(
    epilog="""\b
Examples:
  grade extend "Ada Okafor" --until "2026-12-01 23:59" --because "Ill"
  grade extend ada --until 2026-12-01 --because "Ill"          at the usual time of day
  grade extend --from extensions.csv                           columns: student, until, because
"""
)
@click.argument("student", type=StudentParam(), required=False)
@click.option("--until", metavar="DATE", help="The student's own due date, in the assignment's time zone.")
@because_option
@from_option
@decision_options
def extend(
    student: str | None,
    until: str | None,
    because: str,
    file: Path | None,
    out: Path,
    course: Path | None,
) -> None:
    """Gives STUDENT a due date of their own. It never lowers a score."""
    given = {"student": student, "until": until, "text": because}
    found = decision_entries(given, file, ("student", "until", "text"))
    chosen = [entry for entry in found if entry.excused != "yes"]
    say_left_out(len(found) - len(chosen), "excuse students", "excuse")
    store_entries("extension", chosen, out, course)


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
def undo(entry: int, because: str, out: Path, course: Path | None) -> None:
    """Takes back a decision.

    ENTRY is its number in `grade history`. Nothing is deleted: an undo is a new entry, and it can be undone as well.
    """
    if not because:
        fail('--because is missing: give the reason, such as --because "It was another Ada".')
    with open_gradebook(out) as gradebook:
        decision = gradebook.decisions.find(entry)
        if decision is None:
            raise UserError(f"there is no decision {entry}: `grade history STUDENT` shows the numbers.")
        about = gradebook.decisions_about(gradebook.new_names().get(decision.student, decision.student))
        for other in about:
            if other.kind == "undo" and other.undoes == entry and is_in_force(other, about):
                raise UserError(f"decision {entry} was undone already, by entry {other.id}.")
        undoing = replace(decision, kind="undo", text=because, undoes=entry, row=decision.row, points=None, until=None)
        store(gradebook, [undoing], out, course)


# What they share ------------------------------------------------------------------------------------------------------


def say_left_out(count: int, what: str, command: str) -> None:
    """Say that lines of a file are for another command."""
    if count:
        lines = count_text(count, "line was", "lines were")
        click.echo(f"grade: {lines} left out, which {what}: `grade {command} --from` stores these.", err=True)


def decision_entries(given: dict[str, str | None], file: Path | None, needed: Sequence[str]) -> list[DecisionEntry]:
    """The entries of `file`, or the one of the command line. Raises UserError."""
    values = {name: value for name, value in given.items() if value}
    if file is not None:
        if "student" in values:
            fail("give a STUDENT or --from, not both.")
        return entries_from(file, needed, values)
    options = {"points": "--points", "until": "--until", "text": "--because"}
    missing = [options.get(name, name.upper()) for name in needed if name not in values]
    if missing:
        fail(f"missing: {listed(missing)}. Or give --from CSV; see --help for examples.")
    return [DecisionEntry(**values)]
