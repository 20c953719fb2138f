"""`grade adjust`, `comment`, `excuse`, `extend` and `undo`: what a person decides about a student's points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from grader.commands.console import course_option, fail
from grader.commands.deciding import store, store_entries
from grader.commands.opened_gradebook import RowParam, StudentParam, open_gradebook, out_option
from grader.commands.options import FILE_PATH, Command
from grader.errors import UserError
from grader.gradebook.assignment.decision_file import DecisionEntry, entries_from
from grader.gradebook.assignment.in_force import undone
from grader.gradebook.records import DecisionKind
from grader.results.wording import count_text, listed


@dataclass(frozen=True)
class DecisionCommand:
    """A command that stores decisions of one kind, from its command line or from a CSV file.

    Attributes:
        fields: what a decision of this kind has, as columns of a file and as words of the command line.
        optional: those of the fields that may be left out.
        skips: what a line of a file says in the column `excused` if the command `other` stores it.
    """

    kind: DecisionKind
    fields: tuple[str, ...]
    help: str
    examples: str
    optional: tuple[str, ...] = ()
    skips: str = ""
    other: str = ""

    @property
    def needed(self) -> list[str]:
        return [name for name in self.fields if name not in self.optional]


COMMANDS = {
    "adjust": DecisionCommand(
        "points",
        ("student", "row", "points", "text"),
        "Sets a student's points for a row (03.dprobs), a lesson (03) or the total (`total`).",
        """  grade adjust "Ada Okafor" 03.dprobs --points 1 --because "A bug in the suite"
  grade adjust ada 03 --points 20 --because "Oral exam"      a whole lesson
  grade adjust ada total --points 0 --because "Plagiarism"   everything
  grade adjust --from adjustments.csv                        columns: student, row, points, because
""",
    ),
    "excuse": DecisionCommand(
        "excuse",
        ("student", "row", "text"),
        "Leaves a row, or everything, out of a student's points.\n\nTheir maximum becomes smaller as well.",
        """  grade excuse "Ada Okafor" --because "Ill, certificate seen"
  grade excuse ada 05 --because "Changed course"               one lesson
  grade excuse --from excused.csv                              columns: student, because; perhaps row
""",
        optional=("row",),
        skips="no",
        other="extend",
    ),
    "extend": DecisionCommand(
        "extension",
        ("student", "until", "text"),
        "Gives STUDENT a due date of their own. It never lowers a score.",
        """  grade extend "Ada Okafor" --until "2026-12-01 23:59" --because "Ill"
  grade extend ada --until 2026-12-01 --because "Ill"          at the usual time of day
  grade extend --from extensions.csv                           columns: student, until, because
""",
        skips="yes",
        other="excuse",
    ),
}
because_option = click.option("--because", default="", metavar="TEXT", help="The reason, which the student may read.")


def field_parameter(field: str) -> click.Parameter:
    """The word or the option by which a command line gives a field of a decision."""
    match field:
        case "student":
            return click.Argument(["student"], type=StudentParam(), required=False)
        case "row":
            return click.Argument(["row"], type=RowParam(), required=False)
        case "points":
            words = "What the row, lesson or total is worth now, from 0 to its maximum."
            return click.Option(["--points"], metavar="N", help=words)
        case "until":
            words = "The student's own due date, in the assignment's time zone."
            return click.Option(["--until"], metavar="DATE", help=words)
        case _:
            return click.Option(["--because", "text"], metavar="TEXT", help="The reason, which the student may read.")


def decision_command(name: str, spec: DecisionCommand) -> click.Command:
    """`grade NAME`, with a parameter for each field, and --from."""

    @click.option(
        "--from",
        "file",
        type=FILE_PATH,
        metavar="CSV",
        help="One decision per line. Either all are stored or none; decisions already in force are skipped.",
    )
    @decision_options
    def callback(file: Path | None, out: Path, course: Path | None, **given: str | None) -> None:
        found = decision_entries(given, file, spec.needed)
        chosen = [entry for entry in found if not entry.excused or entry.excused != spec.skips]
        if left_out := len(found) - len(chosen):
            lines = count_text(left_out, "line was", "lines were")
            click.echo(f"grade: {lines} left out: `grade {spec.other} --from` stores these.", err=True)
        store_entries(spec.kind, chosen, out, course)

    made = click.command(name, help=spec.help, epilog=f"\b\nExamples:\n{spec.examples}")(callback)
    made.params = [*map(field_parameter, spec.fields), *made.params]
    return made


def decision_options(command: Command) -> Command:
    """The options that every one of these commands has."""
    for option in (course_option, out_option):
        command = option(command)
    return command


adjust, excuse, extend = (decision_command(name, spec) for name, spec in COMMANDS.items())


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
        if other := undone(about).get(entry):
            raise UserError(f"decision {entry} was undone already, by entry {other}.")
        undoing = replace(decision, kind="undo", text=because, undoes=entry, row=decision.row, points=None, until=None)
        store(gradebook, [undoing], out, course)


def decision_entries(given: Mapping[str, str | None], file: Path | None, needed: Sequence[str]) -> list[DecisionEntry]:
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
