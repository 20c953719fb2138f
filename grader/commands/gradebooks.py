"""`grade export canvas` and `moodle`: a class's scores as a grade book imports them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from grader.commands.console import fail, printable

roster_option = click.option(
    "--roster",
    "roster_path",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="CSV with id, name, email: who the students are.",
)
name_option = click.option(
    "--name",
    "named",
    multiple=True,
    metavar="LESSON=COLUMN",
    help="Only this lesson (or `total`), under this column's name; may be repeated.",
)


@click.command(
    epilog="""\b
Examples:
  grade export canvas grades/ --roster roster.csv                       a column for each lesson
  grade export canvas grades/ --roster export.csv --name "total=Backprop (98765)"
"""
)
@click.argument("graded", metavar="OUT", type=click.Path(path_type=Path, file_okay=False, exists=True))
@roster_option
@name_option
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="[default: OUT/canvas.csv]"
)
def canvas(graded: Path, roster_path: Path, named: tuple[str, ...], out: Path | None) -> None:
    """Writes CSV for Canvas from OUT, which `grade run` wrote. The roster may be Canvas's own export."""
    from grader.export.canvas import canvas_csv, default_columns

    write_marks(graded, roster_path, named, out or graded / "canvas.csv", canvas_csv, default_columns)


@click.command(
    epilog="""\b
Examples:
  grade export moodle grades/ --roster worksheet.csv                    the column Grade: all lessons together
  grade export moodle grades/ --roster roster.csv --name "03=Lesson 03" --name "04=Lesson 04"
"""
)
@click.argument("graded", metavar="OUT", type=click.Path(path_type=Path, file_okay=False, exists=True))
@roster_option
@name_option
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="[default: OUT/moodle.csv]"
)
def moodle(graded: Path, roster_path: Path, named: tuple[str, ...], out: Path | None) -> None:
    """Writes CSV for Moodle from OUT, which `grade run` wrote. The roster may be an assignment's grading worksheet."""
    from grader.export.moodle import default_columns, moodle_csv

    write_marks(graded, roster_path, named, out or graded / "moodle.csv", moodle_csv, default_columns)


def write_marks(
    graded: Path,
    roster_path: Path,
    named: tuple[str, ...],
    out: Path,
    as_text: Callable[..., str],
    default_columns: Callable[..., dict[str, str]],
) -> None:
    """Remarks go to standard error; what is not clear is left empty, never guessed."""
    from grader.errors import Unusable
    from grader.export.marks import columns, read_marks
    from grader.grading.files import write_whole
    from grader.submissions.roster import RosterError, read_roster

    try:
        roster = read_roster(roster_path)
        marks = read_marks(graded, roster)
        text = as_text(roster, marks, columns(marks, named, default_columns(marks)))
        write_whole(out, text)
    except (Unusable, RosterError) as error:
        fail(printable(str(error)))
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror}.")
    for remark in marks.remarks:
        click.echo(f"grade: {printable(remark)}", err=True)
    click.echo(f"wrote {out}: {len(marks.scores)} of {len(roster.members)} students have a score.")
