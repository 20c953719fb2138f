"""`grade feedback`: reports in the form in which platforms give them back to students."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import console_for, course_option, fail, open_course, print_remarks
from grader.commands.export_scores import max_option
from grader.commands.opened_gradebook import recorded_course
from grader.commands.options import Command, graded_argument, roster_option
from grader.commands.remembered import roster_of
from grader.errors import write_errors
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.intake.submissions.arrival import Arrival
    from grader.intake.submissions.roster import Roster
    from grader.intake.submissions.submission import Submission
    from grader.publish.feedback.download import Returned

EXAMPLES = {
    "canvas": 'grade feedback canvas grades/ submissions.zip --roster roster.csv      for "Re-Upload Submissions"',
    "moodle": "grade feedback moodle grades/ submissions.zip --roster worksheet.csv   feedback files, and the "
    "worksheet with comments",
    "folder": "grade feedback folder grades/ --roster roster.csv                      a folder per student, "
    "and a CSV for mail merge",
}
EPILOGS = {name: f"\b\nExample:\n  {line}" for name, line in EXAMPLES.items()}
FEEDBACK_EPILOG = (
    "\b\nExamples:\n"
    + "".join(f"  {line}\n" for line in EXAMPLES.values())
    + """
\b
Exit status: 0 written, 2 the command line or the input is unusable.
"""
)


@click.group(epilog=FEEDBACK_EPILOG)
def feedback() -> None:
    """Gives reports back to students through a platform.

    OUT is what `grade run` wrote. DOWNLOAD is the platform's own archive or folder of submissions, because the platform
    recognises a student by the names in it. If it is not certain whose report it is, nobody gets it, and it is listed.
    """


# What the commands share ----------------------------------------------------------------------------------------------


run_roster_option = roster_option("CSV with id, name, email.  [default: the one that `grade run` had]")


def download_options(command: Command) -> Command:
    """OUT, DOWNLOAD and --roster."""
    download = click.argument("download", metavar="DOWNLOAD", type=click.Path(path_type=Path, exists=True))
    return graded_argument(download(run_roster_option(command)))


def feedback_out_option(default: str) -> Callable[[Command], Command]:
    path = click.Path(path_type=Path)
    return click.option("-o", "--out", type=path, default=None, help=f"What to write.  [default: OUT/{default}]")


def read_download(
    graded: Path,
    download: Path,
    roster: Roster | None,
    course: Path | None,
    is_expected: Callable[[Arrival], bool],
    expected: str,
) -> list[Returned]:
    """What goes back; remarks about everything else are printed. Ends the program where nothing goes back."""
    from grader.commands.run_inputs import stored_lines
    from grader.intake.submissions.intake_csv import decisions
    from grader.publish.feedback.download import returned_reports
    from grader.publish.progress_bar import progress_bar

    loaded, lessons = open_course(recorded_course(graded, course), ())
    decided = decisions(stored_lines(graded, loaded))
    console = console_for(stderr=True)

    def shown(submissions: Sequence[Submission]) -> Iterator[Submission]:
        with progress_bar(console, live=console.is_terminal) as bar:
            yield from bar.track(submissions, description="reading the download")

    back, remarks = returned_reports(graded, download, lessons, roster, is_expected, expected, decided, shown)
    print_remarks(remarks)
    if not back:
        fail("nothing was written: no submission in the download is certainly that of a student with a report in OUT.")
    return back


def write_archive(
    path: Path,
    back: Sequence[Returned],
    platform: Callable[[Returned], dict[str, bytes]],
) -> int:
    """Write the zip with what the platform gives to each student; return to how many. Prints who not."""
    from grader.authoring.release.engine import write_zip
    from grader.publish.feedback.reports import NoFeedback, for_one_student

    files, sent = dict[str, bytes](), 0
    for each in back:
        try:
            with for_one_student():
                files |= platform(each)
            sent += 1
        except NoFeedback as reason:
            print_remarks([f"`{each.results.student}` gets no feedback: {reason}."])
    with write_errors(path):
        write_zip(path, files)
    return sent


# The commands ---------------------------------------------------------------------------------------------------------


@feedback.command("folder", epilog=EPILOGS["folder"])
@graded_argument
@run_roster_option
@feedback_out_option("feedback")
def feedback_folder(graded: Path, roster_file: Path | None, out: Path | None) -> None:
    """Writes a folder for each student with their reports.

    With a roster it also writes mailmerge.csv there.
    """
    from grader.gradebook.files import write_whole
    from grader.publish.export.marks import class_results, read_marks
    from grader.publish.feedback.reports import NoFeedback, mailmerge_csv, report_files

    roster = roster_of(graded, roster_file)
    marks = None if roster is None else read_marks(graded, roster)
    results = class_results(graded).values() if marks is None else marks.results.values()
    place, written = out or graded / "feedback", 0
    print_remarks(() if marks is None else marks.remarks)
    try:
        for each in results:
            try:
                files = report_files(graded, each)
            except NoFeedback as reason:
                print_remarks([f"`{each.student}` gets no feedback: {reason}."])
                continue
            (place / each.student).mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (place / each.student / name).write_bytes(content)
            written += 1
        if roster is not None and marks is not None:
            text, remarks = mailmerge_csv(graded, roster, marks, place)
            print_remarks(remarks)
            write_whole(place / "mailmerge.csv", text)
    except OSError as error:
        fail(f"{error.filename or place} cannot be written: {error.strerror}.")
    click.echo(f"wrote {place}: reports for {count_text(written, 'student')}.")


@feedback.command("canvas", epilog=EPILOGS["canvas"])
@download_options
@feedback_out_option("canvas-feedback.zip")
@course_option
def feedback_canvas(
    graded: Path, download: Path, roster_file: Path | None, out: Path | None, course: Path | None
) -> None:
    """Writes the zip for Canvas's "Re-Upload Submissions".

    Each report becomes a file in a comment. Canvas's grade book has no column for comments, so `grade export
    canvas` cannot carry any.
    """
    from grader.publish.feedback.archives import canvas_feedback

    name, roster = "okaforada_12345_67890_backward.py", roster_of(graded, roster_file)
    back = read_download(graded, download, roster, course, lambda each: each.account.startswith("Canvas "), name)
    path = out or graded / "canvas-feedback.zip"
    sent = write_archive(path, back, lambda each: canvas_feedback([place.name for place in each.places], each.files))
    click.echo(f"wrote {path}: reports for {sent} students. In Canvas: the assignment, Re-Upload Submissions.")


@feedback.command("moodle", epilog=EPILOGS["moodle"], short_help="Writes the zip with Moodle's feedback files.")
@download_options
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
    from grader.gradebook.files import write_whole
    from grader.publish.feedback.archives import MOODLE, graded_worksheet, moodle_feedback

    name, roster = "Ada Okafor_12345_assignsubmission_file", roster_of(graded, roster_file)
    is_worksheet = roster is not None and MOODLE.own_column(roster, MOODLE.grade) is not None
    if maxima and not is_worksheet:
        fail("--max is for the grading worksheet: give Moodle's own with --roster.")
    back = read_download(graded, download, roster, course, lambda each: each.account.startswith("Moodle "), name)
    path = out or graded / "moodle-feedback.zip"
    sent = write_archive(path, back, lambda each: moodle_feedback([place.name for place in each.places], each.files))
    click.echo(f"wrote {path}: reports for {sent} students. In Moodle: Upload multiple feedback files in a zip.")
    if roster is not None and is_worksheet:
        place = path.with_name("moodle-worksheet.csv")
        text, scaling = graded_worksheet(graded, roster, maxima)
        print_remarks(scaling)
        with write_errors(place):
            write_whole(place, text)
        has_comments = MOODLE.own_column(roster, MOODLE.comments) is not None
        comments = "grades and comments" if has_comments else "grades; it has no column Feedback comments"
        click.echo(f"wrote {place}: {comments}. In Moodle: Upload grading worksheet.")
