"""`grade feedback canvas`, `moodle` and `gradescope`: archives that the platforms give back to students."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import course_option, fail, print_remarks
from grader.commands.feedback_download import (
    collected,
    download_argument,
    feedback_out_option,
    read_download,
    roster_at,
    run_roster_option,
    write_archive,
)
from grader.commands.gradebooks import max_option
from grader.commands.options import graded_argument
from grader.errors import write_errors
from grader.results import points_text

if TYPE_CHECKING:
    from grader.intake.submissions.roster import Roster

VISIBILITY = ("visible", "after_due_date", "after_published", "hidden")


@click.command("canvas")
@graded_argument
@download_argument
@run_roster_option
@feedback_out_option("canvas-feedback.zip")
@course_option
def feedback_canvas(
    graded: Path, download: Path, roster_file: Path | None, out: Path | None, course: Path | None
) -> None:
    """Writes the zip for Canvas's "Re-Upload Submissions".

    Each report becomes a file in a comment. Canvas's grade book has no column for comments, so `grade export
    canvas` cannot carry any.
    """
    from grader.publish.feedback.canvas import canvas_feedback

    back = read_download(
        graded,
        download,
        roster_at(roster_file),
        course,
        lambda arrival: arrival.account.startswith("Canvas "),
        "okaforada_12345_67890_backward.py",
    )
    files, sent = collected(back, canvas_feedback)
    path = out or graded / "canvas-feedback.zip"
    write_archive(path, files)
    click.echo(f"wrote {path}: reports for {len(sent)} students. In Canvas: the assignment, Re-Upload Submissions.")


@click.command("moodle")
@graded_argument
@download_argument
@run_roster_option
@max_option
@feedback_out_option("moodle-feedback.zip")
@course_option
def feedback_moodle(
    graded: Path,
    download: Path,
    roster_file: Path | None,
    maxima: tuple[str, ...],
    out: Path | None,
    course: Path | None,
) -> None:
    """Writes the zip for Moodle's "Upload multiple feedback files in a zip".

    If the roster is the assignment's grading worksheet, OUT/moodle-worksheet.csv is the same worksheet with grades,
    scaled to its maximum, and with a summary in the column "Feedback comments".
    """
    from grader.publish.export.grade_books import is_worksheet
    from grader.publish.feedback.moodle import comments_column, moodle_feedback

    roster = roster_at(roster_file)
    if maxima and (roster is None or not is_worksheet(roster)):
        fail("--max is for the grading worksheet: give Moodle's own with --roster.")
    back = read_download(
        graded,
        download,
        roster,
        course,
        lambda arrival: arrival.account.startswith("Moodle "),
        "Ada Okafor_12345_assignsubmission_file",
    )
    files, sent = collected(back, moodle_feedback)
    path = out or graded / "moodle-feedback.zip"
    write_archive(path, files)
    click.echo(f"wrote {path}: reports for {len(sent)} students. In Moodle: Upload multiple feedback files in a zip.")
    if roster is not None and is_worksheet(roster):
        place = path.with_name("moodle-worksheet.csv")
        write_worksheet(graded, roster, maxima, place)
        comments = "grades and comments" if comments_column(roster) else "grades; it has no column Feedback comments"
        click.echo(f"wrote {place}: {comments}. In Moodle: Upload grading worksheet.")


def write_worksheet(graded: Path, roster: Roster, maxima: tuple[str, ...], path: Path) -> None:
    from grader.gradebook.files import write_whole
    from grader.publish.export.grade_books import GRADE, maxima_from_options, moodle_maxima, scaled_to
    from grader.publish.export.marks import TOTAL, read_marks
    from grader.publish.feedback.moodle import commented_worksheet

    columns = {TOTAL: GRADE}
    marks = read_marks(graded, roster)
    own = maxima_from_options(marks, columns, maxima) or moodle_maxima(roster, columns)
    scaled = scaled_to(own, marks, columns)
    print_remarks(scaled.remarks[len(marks.remarks) :])
    with write_errors(path):
        write_whole(path, commented_worksheet(roster, scaled))


@click.command("gradescope")
@graded_argument
@download_argument
@run_roster_option
@click.option(
    "--max",
    "maximum",
    type=click.FloatRange(0, min_open=True),
    default=None,
    help="The assignment's autograder points, to which scores are scaled.  [default: the points of a full score]",
)
@click.option("--visibility", type=click.Choice(VISIBILITY), default="visible", show_default=True, help="Of the tests.")
@feedback_out_option("gradescope-feedback.zip")
@course_option
def feedback_gradescope(
    graded: Path,
    download: Path,
    roster_file: Path | None,
    maximum: float | None,
    visibility: str,
    out: Path | None,
    course: Path | None,
) -> None:
    """Writes an autograder.zip that returns existing results.

    It gives students the results in OUT instead of grading. Gradescope has no upload for feedback. Upload the zip
    under Configure Autograder and choose Regrade All Submissions.
    """
    from grader.intake.submissions.gradescope import NAME
    from grader.publish.export.gradescope import Visibility
    from grader.publish.feedback.gradescope import SCRIPTS, stored_autograder, stored_result
    from grader.publish.feedback.reports import NoFeedback, require_score

    back = read_download(
        graded,
        download,
        roster_at(roster_file),
        course,
        lambda arrival: bool(NAME.fullmatch(arrival.path.name)),
        "submission_12345",
    )
    shown = Visibility(visibility)
    stored = {}
    for each in back:
        try:
            require_score(each.results)
        except NoFeedback as reason:
            print_remarks([f"`{each.results.student}` gets no feedback: {reason}."])
            continue
        number = each.arrival.path.name.removeprefix("submission_")
        stored[number] = stored_result(each.results, each.files, shown, maximum)
    path = out or graded / "gradescope-feedback.zip"
    write_archive(path, stored_autograder(stored), SCRIPTS)
    click.echo(f"wrote {path}: results of {len(stored)} submissions. It contains reports: give it to nobody else.")
    highest = max((each.results.max_score for each in back), default=0)
    worth = points_text(maximum or highest)
    click.echo(f"The assignment's autograder points: {worth}. Configure Autograder, then regrade all.")
