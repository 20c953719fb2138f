"""`grade feedback`: reports in the form in which Canvas, Moodle and Gradescope give them back to students."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import console_for, course_option, fail, open_course, printable
from grader.commands.gradebooks import max_option

if TYPE_CHECKING:
    from grader.intake.submissions.arrival import Arrival
    from grader.intake.submissions.roster import Roster
    from grader.publish.feedback.download import Returned

EPILOG = """\b
Examples:
  grade feedback canvas grades/ submissions.zip --roster roster.csv      for "Re-Upload Submissions"
  grade feedback moodle grades/ submissions.zip --roster worksheet.csv   feedback files, and the worksheet with comments
  grade feedback gradescope grades/ export.zip --roster roster.csv       an autograder that hands out these results
  grade feedback classroom50 grades/ download/ --scores scores.json      Classroom 50's grade book
  grade feedback folder grades/ --roster roster.csv                      a folder per student, and a CSV for mail merge

\b
Exit status: 0 written, 2 the command line or the input is unusable.
"""
VISIBILITY = ("visible", "after_due_date", "after_published", "hidden")


@click.group(epilog=EPILOG)
def feedback() -> None:
    """Gives reports back to students through a platform.

    OUT is what `grade run` wrote, DOWNLOAD the platform's own archive or folder of submissions: the platforms recognise
    a student by the names in it. A report of which it is not certain whose it is goes to nobody, and is listed.
    """


graded_argument = click.argument("graded", metavar="OUT", type=click.Path(path_type=Path, file_okay=False, exists=True))
download_argument = click.argument("download", metavar="DOWNLOAD", type=click.Path(path_type=Path, exists=True))
roster_option = click.option(
    "--roster",
    "roster_path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="CSV with id, name, email: the one that `grade run` had.",
)


def out_option(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "-o", "--out", type=click.Path(path_type=Path), default=None, help=f"What to write.  [default: OUT/{default}]"
    )


def roster_at(path: Path | None) -> Roster | None:
    from grader.intake.submissions.roster import read_roster

    return None if path is None else read_roster(path)


def write_archive(path: Path, files: dict[str, bytes], executable: Sequence[str] = ()) -> None:
    from grader.authoring.release.archive import write_zip

    try:
        write_zip(path, files, executable)
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.")


def warn(remarks: Sequence[str]) -> None:
    for remark in remarks:
        click.echo(f"grade: {printable(remark)}", err=True)


def read_download(
    graded: Path,
    download: Path,
    roster: Roster | None,
    course: Path | None,
    is_expected: Callable[[Arrival], bool],
    expected: str,
) -> list[Returned]:
    """What goes back; remarks about everything else are printed. Ends the program where nothing goes back."""
    from grader.publish.feedback.download import returned_reports
    from grader.publish.progress_bar import progress_bar

    lessons = open_course(course, ())[1]
    console = console_for(stderr=True)

    def shown(arrivals: list[Arrival]) -> Iterator[Arrival]:
        with progress_bar(console, live=console.is_terminal) as bar:
            yield from bar.track(arrivals, description="reading the download")

    back, remarks = returned_reports(graded, download, lessons, roster, is_expected, expected, shown)
    warn(remarks)
    if not back:
        fail("nothing was written: no submission in the download is certainly that of a student with a report in OUT.")
    return back


@feedback.command("canvas")
@graded_argument
@download_argument
@roster_option
@out_option("canvas-feedback.zip")
@course_option
def feedback_canvas(
    graded: Path, download: Path, roster_path: Path | None, out: Path | None, course: Path | None
) -> None:
    """Writes the zip for Canvas's "Re-Upload Submissions": each report becomes a file in a comment.

    Canvas's grade book has no column for comments, so `grade export canvas` cannot carry any.
    """
    from grader.publish.feedback.canvas import canvas_feedback

    back = read_download(
        graded,
        download,
        roster_at(roster_path),
        course,
        lambda arrival: arrival.account.startswith("Canvas "),
        "okaforada_12345_67890_backward.py",
    )
    files, sent = collected(back, canvas_feedback)
    path = out or graded / "canvas-feedback.zip"
    write_archive(path, files)
    click.echo(f"wrote {path}: reports for {len(sent)} students. In Canvas: the assignment, Re-Upload Submissions.")


@feedback.command("moodle")
@graded_argument
@download_argument
@roster_option
@max_option
@out_option("moodle-feedback.zip")
@course_option
def feedback_moodle(
    graded: Path,
    download: Path,
    roster_path: Path | None,
    maxima: tuple[str, ...],
    out: Path | None,
    course: Path | None,
) -> None:
    """Writes the zip for Moodle's "Upload multiple feedback files in a zip".

    If the roster is the assignment's grading worksheet, OUT/moodle-worksheet.csv is the same worksheet with grades,
    scaled to its maximum, and with a summary in the column "Feedback comments".
    """
    from grader.publish.export.moodle import is_worksheet
    from grader.publish.feedback.moodle import comments_column, moodle_feedback

    roster = roster_at(roster_path)
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
    from grader.publish.export.marks import TOTAL, read_marks
    from grader.publish.export.maxima import maxima_from_options, scaled_to
    from grader.publish.export.moodle import GRADE, moodle_maxima
    from grader.publish.feedback.moodle import commented_worksheet

    columns = {TOTAL: GRADE}
    marks = read_marks(graded, roster)
    own = maxima_from_options(marks, columns, maxima) or moodle_maxima(roster, columns)
    scaled = scaled_to(own, marks, columns)
    warn(scaled.remarks[len(marks.remarks) :])
    try:
        write_whole(path, commented_worksheet(roster, scaled))
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.")


@feedback.command("gradescope")
@graded_argument
@download_argument
@roster_option
@click.option(
    "--max",
    "maximum",
    type=click.FloatRange(0, min_open=True),
    default=None,
    help="The assignment's autograder points, to which scores are scaled.  [default: the points of a full score]",
)
@click.option("--visibility", type=click.Choice(VISIBILITY), default="visible", show_default=True, help="Of the tests.")
@out_option("gradescope-feedback.zip")
@course_option
def feedback_gradescope(
    graded: Path,
    download: Path,
    roster_path: Path | None,
    maximum: float | None,
    visibility: str,
    out: Path | None,
    course: Path | None,
) -> None:
    """Writes an autograder.zip that hands out the results in OUT instead of grading.

    Gradescope has no upload for feedback. Upload the zip under Configure Autograder and choose Regrade All Submissions.
    """
    from grader.intake.submissions.gradescope import NAME
    from grader.publish.export.gradescope import Visibility
    from grader.publish.feedback.gradescope import SCRIPTS, group_doubts, stored_autograder, stored_result

    back = read_download(
        graded,
        download,
        roster_at(roster_path),
        course,
        lambda arrival: bool(NAME.fullmatch(arrival.path.name)),
        "submission_12345",
    )
    groups: dict[str, list[Returned]] = {}
    for each in back:
        groups.setdefault(each.arrival.path.name.removeprefix("submission_"), []).append(each)
    stored, shown = {}, Visibility(visibility)
    for number, members in groups.items():
        if doubt := group_doubts([each.results for each in members]):
            warn([f"submission_{number} gets no feedback: {doubt}."])
        else:
            stored[number] = stored_result(members[0].results, members[0].files, shown, maximum)
    path = out or graded / "gradescope-feedback.zip"
    write_archive(path, stored_autograder(stored), SCRIPTS)
    click.echo(f"wrote {path}: results of {len(stored)} submissions. It contains reports: give it to nobody else.")
    highest = max((each.results.max_score for each in back), default=0)
    click.echo(f"The assignment's autograder points: {maximum or highest:g}. Configure Autograder, then regrade all.")


@feedback.command("classroom50")
@graded_argument
@download_argument
@roster_option
@click.option(
    "--scores",
    "scores_path",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The classroom's scores.json, from the organisation's repository classroom50.",
)
@out_option("scores.json")
@course_option
def feedback_classroom50(
    graded: Path,
    download: Path,
    roster_path: Path | None,
    scores_path: Path,
    out: Path | None,
    course: Path | None,
) -> None:
    """Writes Classroom 50's scores.json with the scores in OUT, for the repository classroom50.

    DOWNLOAD is the folder that `gh teacher download` wrote. Collecting scores leaves these entries as they are.
    """
    from datetime import UTC, datetime

    from grader.gradebook.files import write_whole
    from grader.publish.export.classroom50 import result_text
    from grader.publish.feedback.classroom50 import is_checkout, put_scores, read_scores

    scores = read_scores(scores_path)
    back = read_download(graded, download, roster_at(roster_path), course, is_checkout, "CLASSROOM-ASSIGNMENT-USERNAME")
    remarks = list(put_scores(scores, back, datetime.now(UTC)))
    warn(remarks)
    path = out or graded / "scores.json"
    try:
        write_whole(path, result_text(scores))
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.")
    click.echo(f"wrote {path}: scores of {len(back) - len(remarks)} students. Commit it as CLASSROOM/scores.json.")


@feedback.command("folder")
@graded_argument
@roster_option
@out_option("feedback")
def feedback_folder(graded: Path, roster_path: Path | None, out: Path | None) -> None:
    """Writes a folder for each student with their reports, and with a roster DIR/mailmerge.csv."""
    from grader.gradebook.files import write_whole
    from grader.publish.export.marks import class_results, read_marks
    from grader.publish.feedback.mailmerge import mailmerge_csv
    from grader.publish.feedback.reports import NoFeedback, report_files

    roster = roster_at(roster_path)
    marks = None if roster is None else read_marks(graded, roster)
    results = class_results(graded).values() if marks is None else marks.results.values()
    place, written = out or graded / "feedback", 0
    warn(() if marks is None else marks.remarks)
    try:
        for each in results:
            try:
                files = report_files(graded, each)
            except NoFeedback as reason:
                warn([f"`{each.student}` gets no feedback: {reason}."])
                continue
            (place / each.student).mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (place / each.student / name).write_bytes(content)
            written += 1
        if roster is not None and marks is not None:
            text, remarks = mailmerge_csv(graded, roster, marks, place)
            warn(remarks)
            write_whole(place / "mailmerge.csv", text)
    except OSError as error:
        fail(f"{error.filename or place} cannot be written: {error.strerror}.")
    click.echo(f"wrote {place}: reports for {written} students.")


def collected(
    back: Sequence[Returned], platform: Callable[[Sequence[str], dict[str, bytes]], dict[str, bytes]]
) -> tuple[dict[str, bytes], list[str]]:
    """({name in the archive: content}, the students whose reports are in it)."""
    from grader.publish.feedback.reports import NoFeedback

    files: dict[str, bytes] = {}
    sent = []
    for each in back:
        try:
            files |= platform(each.names, each.files)
        except NoFeedback as reason:
            warn([f"`{each.results.student}` gets no feedback: {reason}."])
            continue
        sent.append(each.results.student)
    return files, sent
