"""`grade export canvas`, `moodle` and `mailmerge`: a class's scores as a grade book or a mail program imports them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import print_remarks
from grader.commands.options import EXISTING_FOLDER, csv_option, graded_argument, roster_option
from grader.errors import write_errors
from grader.results import points_text
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.publish.export.marks import Platform


class_option = roster_option("CSV with id, name, email: who the students are.", required=True)
name_option = click.option(
    "--name",
    "named",
    multiple=True,
    metavar="LESSON=COLUMN",
    help="Only this lesson (or `total`), under this column's name; may be repeated.",
)
course_not_needed = click.option(
    "--course",
    type=EXISTING_FOLDER,
    expose_value=False,
    help="Accepted as by other commands, and not needed: all that is exported is in OUT.",
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
@course_not_needed
def canvas(graded: Path, roster_file: Path, named: tuple[str, ...], maxima: tuple[str, ...], out: Path | None) -> None:
    """Writes CSV for Canvas from OUT, which `grade run` wrote. The roster may be Canvas's own export."""
    from grader.publish.export.canvas import CANVAS_PLATFORM

    write_marks(graded, roster_file, named, maxima, out or graded / "canvas.csv", CANVAS_PLATFORM)


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
@course_not_needed
def moodle(graded: Path, roster_file: Path, named: tuple[str, ...], maxima: tuple[str, ...], out: Path | None) -> None:
    """Writes CSV for Moodle from OUT, which `grade run` wrote. The roster may be an assignment's grading worksheet."""
    from grader.publish.export.moodle import MOODLE_PLATFORM

    unscaled = write_marks(graded, roster_file, named, maxima, out or graded / "moodle.csv", MOODLE_PLATFORM)
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
@course_not_needed
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
    graded: Path,
    roster_file: Path,
    named: tuple[str, ...],
    given: tuple[str, ...],
    out: Path,
    platform: Platform,
) -> dict[str, float]:
    """Write the scores in `graded` as the platform's CSV, and print remarks on standard error.

    A score that is not clear stays empty. Returns {column: points} for the columns whose maximum on the platform is
    not known. Raises UserError.
    """
    from grader.gradebook.files import write_whole
    from grader.intake.submissions.roster import read_roster
    from grader.publish.export.marks import columns_by_lesson, read_marks
    from grader.publish.export.maxima import maxima_from_options, scaled_to

    roster = read_roster(roster_file)
    marks = read_marks(graded, roster)
    chosen = columns_by_lesson(marks, named, platform.default_columns(marks))
    own = maxima_from_options(marks, chosen, given)
    if own.keys() < chosen.keys():
        own = {**platform.known_maxima(roster, chosen), **own}
    marks = scaled_to(own, marks, chosen)
    with write_errors(out):
        write_whole(out, platform.csv_text(roster, marks, chosen))
    print_remarks(marks.remarks)
    click.echo(
        f"wrote {out}: {len(marks.scores)} of {count_text(len(roster.members), 'student')} "
        f"{'has' if len(roster.members) == 1 else 'have'} a score."
    )
    return {column: marks.possible[lesson] for lesson, column in chosen.items() if lesson not in own}
