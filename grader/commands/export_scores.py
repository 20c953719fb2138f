"""`grade export canvas`, `moodle` and `mailmerge`: a class's scores as a grade book or a mail program imports them."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.console import print_remarks
from grader.commands.options import csv_option, graded_argument, roster_option
from grader.errors import write_errors
from grader.results import points_text
from grader.results.wording import count_text

class_option = roster_option("CSV with id, name, email: who the students are.", required=True)
name_option = click.option(
    "--name",
    "named",
    multiple=True,
    metavar="LESSON=COLUMN",
    help="Only this lesson (or `total`), under this column's name; may be repeated.",
)
max_option = click.option(
    "--max",
    "maxima",
    multiple=True,
    metavar="[LESSON=]NUMBER",
    help="The platform's maximum, to which scores are scaled; may be repeated.  [default: as in the roster's file]",
)


@click.command(
    epilog="""\b
Examples:
  grade export canvas grades/ --roster roster.csv                       a column for each lesson
  grade export canvas grades/ --roster export.csv --name "total=Backprop (98765)"
"""
)
@graded_argument
@class_option
@name_option
@max_option
@csv_option("canvas.csv")
def canvas(graded: Path, roster_file: Path, named: tuple[str, ...], maxima: tuple[str, ...], out: Path | None) -> None:
    """Writes CSV for Canvas from OUT, which `grade run` wrote.

    If the roster is Canvas's own export, it is filled in, and all other cells stay as they are.
    """
    write_marks("canvas", graded, roster_file, named, maxima, out)


@click.command(
    epilog="""\b
Examples:
  grade export moodle grades/ --roster worksheet.csv                    the column Grade: all lessons together
  grade export moodle grades/ --roster roster.csv --max 100             Moodle's maximum grade, if it is in no file
  grade export moodle grades/ --roster roster.csv --name "03=Lesson 03" --name "04=Lesson 04"
"""
)
@graded_argument
@class_option
@name_option
@max_option
@csv_option("moodle.csv")
def moodle(graded: Path, roster_file: Path, named: tuple[str, ...], maxima: tuple[str, ...], out: Path | None) -> None:
    """Writes CSV for Moodle from OUT, which `grade run` wrote.

    If the roster is an assignment's grading worksheet, it is filled in, and all other cells stay as they are.
    """
    unscaled = write_marks("moodle", graded, roster_file, named, maxima, out)
    for column, highest in unscaled.items():
        click.echo(
            f"{column} is in points out of {points_text(highest)}. If Moodle's maximum grade is another, give it with "
            "--max."
        )


@click.command(
    epilog="""\b
Examples:
  grade export mailmerge grades/ --roster roster.csv       OUT/mailmerge.csv: email, name, id, score, maximum, percent,
                                                           summary, and the path of the report to attach
"""
)
@graded_argument
@class_option
@csv_option("mailmerge.csv")
def mailmerge(graded: Path, roster_file: Path, out: Path | None) -> None:
    """Writes CSV for mail merge.

    It has a line for each student who has a report.
    """
    from grader.gradebook.files import write_whole
    from grader.intake.submissions.roster import read_roster
    from grader.publish.export.marks import read_marks
    from grader.publish.feedback.reports import mailmerge_csv

    roster, path = read_roster(roster_file), out or graded / "mailmerge.csv"
    marks = read_marks(graded, roster)
    text, remarks = mailmerge_csv(graded, roster, marks)
    with write_errors(path):
        write_whole(path, text)
    print_remarks([*marks.remarks, *remarks])
    click.echo(f"wrote {path}: {len(marks.results) - len(remarks)} of {count_text(len(roster.members), 'student')}.")


def write_marks(
    name: str, graded: Path, roster_file: Path, named: tuple[str, ...], maxima: tuple[str, ...], out: Path | None
) -> dict[str, float]:
    """Write the scores in `graded` as the platform's CSV, and print remarks on standard error.

    A score that is not clear stays empty. Returns {column: points} for the columns whose maximum on the platform is
    not known. Raises UserError.
    """
    from grader.gradebook.files import write_whole
    from grader.intake.submissions.roster import read_roster
    from grader.publish.export.marks import columns_by_lesson, read_marks
    from grader.publish.export.platforms import PLATFORMS, maxima_of, scaled_to

    platform, roster, path = PLATFORMS[name], read_roster(roster_file), out or graded / f"{name}.csv"
    marks = read_marks(graded, roster)
    columns = columns_by_lesson(marks, named, platform.columns(marks))
    known = maxima_of(platform, roster, marks, columns, maxima)
    marks = scaled_to(known, marks, columns)
    with write_errors(path):
        write_whole(path, platform.csv_text(roster, marks, columns))
    print_remarks(marks.remarks)
    click.echo(
        f"wrote {path}: {len(marks.scores)} of {count_text(len(roster.members), 'student')} "
        f"{'has' if len(roster.members) == 1 else 'have'} a score."
    )
    return {column: marks.possible[lesson] for lesson, column in columns.items() if lesson not in known}
