"""The command line of `grade run`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from grader.commands.assignments import assignment_option, extensions_option
from grader.commands.console import course_option
from grader.commands.follow import follow_options
from grader.commands.options import FILE_PATH, Command, gradebook_option, lesson_option, require_option, roster_option
from grader.commands.run_inputs import CodePageParam, times_option
from grader.publish.export.outputs import FORMATS

RUN_EPILOG = """\b
Examples:
  grade run submissions/                       a folder with one submission for each student
  grade run ada.zip bo/ --lesson 03 -o out     two submissions, one lesson, results in out/
  grade run backward.py --lesson 4             a single file
  grade run makemore_part4_backprop.ipynb      the lecture's own notebook, or a folder of such
  grade run submissions.zip --lesson 3 --roster roster.csv   a download of Canvas, Moodle or Gradescope
  grade run submission --course course --fail-under 80   for CI: exit status 1 below 80 percent
  grade run submissions/ --course .            typed in the folder of a course of your own
  grade run submissions/ --seed 7 -o seed7     the same hidden problems again
  grade run late/ada --lesson 03               one more submission for the class in grades/
  grade run submissions/ --assignment hw2.toml --extensions extensions.csv   rows, weights and due dates
  grade run submissions/                       again: grades only what is new or changed
  grade run submissions/ --intake grades/intake.csv   after you have edited intake.csv
  grade run --follow inbox/ --lesson 03        whatever appears in inbox/, until Ctrl-C
"""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The command line of `grade run`; the help of each option says what it means."""

    submissions: tuple[Path, ...]
    out: Path
    lesson_names: tuple[str, ...]
    assignment_file: Path | None
    extensions_file: Path | None
    roster_file: Path | None
    times_files: tuple[Path, ...]
    intake_file: Path | None
    code_page: str | None
    jobs: int | None
    cluster: str | None
    seed: int | None
    timeout: float
    require: str
    fail_under: float | None
    formats: tuple[str, ...]
    fresh: bool
    only_these: bool
    follow: bool
    settle: float | None
    quiet: bool
    course: Path | None


OPTIONS = (
    click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path)),
    gradebook_option("Folder for the results."),
    lesson_option(
        "Count this lesson (number, name or both) and no other; may be repeated.  [default: those that any submission "
        "contains]"
    ),
    assignment_option,
    extensions_option,
    roster_option(
        "The class's list (id, name, email): names come from it, and who submitted nothing is listed.  "
        "[default: the gradebook's, if there is one]"
    ),
    times_option,
    click.option(
        "--intake",
        "intake_file",
        type=FILE_PATH,
        metavar="CSV",
        help="OUT/intake.csv after you have edited it: which file of a submission is which lesson.",
    ),
    click.option(
        "--zip-names",
        "code_page",
        type=CodePageParam(),
        metavar="CODE",
        help="The code page of the names in a class's .zip that are not marked as UTF-8, such as cp932, gbk or cp866.  "
        "[default: the one in which the names are in the roster]",
    ),
    click.option("--jobs", type=click.IntRange(1), default=None, help="Grader processes.  [default: one per core]"),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        default=None,
        help="Grade on the workers of a Dask scheduler, such as tcp://192.168.0.7:8786 (docs/operator.md).",
    ),
    click.option(
        "--seed",
        type=int,
        default=None,
        help="Makes a run repeatable: the same hidden problems again.  [default: a new one]",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0.1),
        default=10.0,
        show_default=True,
        help="Seconds of processor time for running a file, and again for each step; six times as many of wall time.",
    ),
    require_option,
    click.option(
        "--fail-under",
        type=click.FloatRange(0, 100),
        default=None,
        metavar="PERCENT",
        help="Exit with 1 when a score is below.",
    ),
    click.option(
        "--format",
        "formats",
        type=click.Choice(FORMATS),
        multiple=True,
        help="Write the results for another program, too; may be repeated. gradescope and junit are files next to the "
        "reports, github is for the job that runs this, classroom50 for Classroom 50's runner (docs/ci.md).",
    ),
    click.option(
        "--fresh",
        is_flag=True,
        help="Grade everything again, not only what is new or changed since the last run on OUT.",
    ),
    click.option(
        "--only-these",
        is_flag=True,
        help="Show only this run in index.html and grades.csv.  [default: everybody in OUT]",
    ),
    follow_options,
    click.option("--quiet", is_flag=True, help="Print only what goes wrong."),
    course_option,
)


def run_options(command: Command) -> Command:
    """All options of `grade run`: the command is called with the fields of RunOptions."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
