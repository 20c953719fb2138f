"""The command line of `grade run`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.assignments import assignment_option, extensions_option
from grader.commands.console import course_option
from grader.commands.follow import follow_options
from grader.commands.options import FILE_PATH, Command, gradebook_option, lesson_option, require_option, roster_option
from grader.commands.run_inputs import CodePageParam, times_option
from grader.publish.export.formats import FORMATS

RUN_EPILOG = """\b
Examples:
  grade run submissions/                    again: only what is new or changed
  grade run submissions.zip --lesson 3 --roster roster.csv     a platform's download
  grade run submissions/ --assignment hw2.toml     rows, weights and due dates
  grade run late/ada --lesson 03            one more student for the class in grades/
"""
WEEKLY = ("out", "lesson_names", "assignment_file", "extensions_file", "roster_file", "times_files", "intake_file")
"""Options that a course needs every week. The help lists all others under "Seldom needed"."""


class RunCommand(click.Command):
    """`grade run`, whose help shows the options that are needed weekly first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        records = [(each.name, each.get_help_record(ctx)) for each in options]
        for title, is_weekly in (("Options", True), ("Seldom needed", False)):
            with formatter.section(title):
                formatter.write_dl([record for name, record in records if record and (name in WEEKLY) == is_weekly])


OPTIONS = (
    click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path)),
    gradebook_option("Folder for the results."),
    lesson_option("Count only this lesson; may be repeated."),
    assignment_option,
    extensions_option,
    roster_option("The class's list: id, name, email."),
    times_option,
    click.option(
        "--intake",
        "intake_file",
        type=FILE_PATH,
        metavar="CSV",
        help="OUT/intake.csv, after you have edited it.",
    ),
    click.option(
        "--zip-names",
        "code_page",
        type=CodePageParam(),
        metavar="CODE",
        help="Code page of names in a .zip, such as cp932.",
    ),
    click.option("--jobs", type=click.IntRange(1), default=None, help="Grader processes; default: one per core."),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        default=None,
        help="A Dask scheduler (docs/operator.md).",
    ),
    click.option(
        "--seed",
        type=int,
        default=None,
        help="The same hidden problems again.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0.1),
        default=10.0,
        help="Seconds per file, and per step; default: 10.",
    ),
    require_option,
    click.option(
        "--fail-under",
        type=click.FloatRange(0, 100),
        default=None,
        metavar="PERCENT",
        help="Exit with 1 if a score is below.",
    ),
    click.option(
        "--format",
        "formats",
        type=click.Choice(FORMATS),
        multiple=True,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)} (docs/ci.md).",
    ),
    click.option(
        "--fresh",
        is_flag=True,
        help="Grade everything again.",
    ),
    click.option(
        "--only-these",
        is_flag=True,
        help="Show only this run's students.",
    ),
    follow_options,
    click.option("--quiet", is_flag=True, help="Print only what goes wrong."),
    course_option,
)


def run_options(command: Command) -> Command:
    """All options of `grade run`: the command is called with what RunContext needs."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
